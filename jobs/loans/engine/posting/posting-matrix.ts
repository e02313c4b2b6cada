import type { AccountRole } from '../../../ledger/chart.ts';
import type { EventKind, LoanEvent } from '../events.ts';

export type PostedComponent =
  'principal' | 'interest' | 'fee' | 'suspense' | 'charge_off' | 'surplus' | 'off_books';

/** The accounts to debit and credit when an event reduces a component. */
export type AccountPair = readonly [debit: AccountRole, credit: AccountRole];

/** Income recognised at accrual is not recognised again at payment. */
export const RECEIVABLE_RELIEF = {
  interest: ['interest_income', 'interest_receivable'],
  fee: ['fee_income', 'fees_receivable'],
} as const satisfies Partial<Record<PostedComponent, AccountPair>>;

/** Entries for money received, as listed in the specification. */
const receiptPairs = (
  from: AccountRole,
): Partial<Record<PostedComponent, readonly AccountPair[]>> => ({
  principal: [[from, 'loans_receivable']],
  interest: [[from, 'interest_income']],
  fee: [[from, 'fee_income']],
  charge_off: [[from, 'recovery_income']],
  surplus: [[from, 'refunds_payable']],
});

/** The asset falls against the account that bears the loss. Unpaid income is reversed. */
const lossPairs = (by: AccountRole): Partial<Record<PostedComponent, readonly AccountPair[]>> => ({
  principal: [[by, 'loans_receivable']],
  interest: [RECEIVABLE_RELIEF.interest],
  fee: [RECEIVABLE_RELIEF.fee],
});

/**
 * The posting matrix (specification, "System-generated entries", with additions): debit and credit for each
 * event kind and each component it reduces. If a component grows, the sides are exchanged.
 */
export const POSTING_MATRIX: Partial<
  Record<LoanEvent['kind'], Partial<Record<PostedComponent, readonly AccountPair[]>>>
> = {
  disbursement: { principal: [['cash', 'loans_receivable']], fee: [['cash', 'fee_income']] },
  draw: { principal: [['cash', 'loans_receivable']] },
  // A boarded balance belongs to the previous owner until it is bought, so it grows against the amount due
  // to them.
  boarding: {
    principal: [['due_to_investors', 'loans_receivable']],
    interest: [['due_to_investors', 'interest_receivable']],
    fee: [['due_to_investors', 'fees_receivable']],
  },
  payment: { ...receiptPairs('cash'), suspense: [['cash', 'borrower_suspense']] },
  liquidation: { ...receiptPairs('cash'), suspense: [['cash', 'borrower_suspense']] },
  suspense_application: receiptPairs('borrower_suspense'),
  reimbursement: {
    principal: [['cash', 'loans_receivable']],
    suspense: [['cash', 'borrower_suspense']],
    charge_off: [['cash', 'recovery_income']],
  },
  accrual_stop: { off_books: [RECEIVABLE_RELIEF.interest] },
  accrual_start: { off_books: [RECEIVABLE_RELIEF.interest] },
  fee: { fee: [RECEIVABLE_RELIEF.fee] },
  fee_waiver: { fee: [RECEIVABLE_RELIEF.fee] },
  service_credit: {
    principal: [['service_credit_expense', 'loans_receivable']],
    interest: [['service_credit_expense', 'interest_receivable']],
    fee: [['service_credit_expense', 'fees_receivable']],
  },
  charge_off: lossPairs('charge_off_expense'),
  forgiveness: lossPairs('charge_off_expense'),
  write_off: lossPairs('rounding'),
  // The sale has made the balance the investor's; nothing of it remains in these books.
  servicing_transfer: {
    principal: [['due_to_investors', 'loans_receivable']],
    interest: [['due_to_investors', 'interest_receivable']],
    fee: [['due_to_investors', 'fees_receivable']],
    suspense: [['due_to_investors', 'borrower_suspense']],
  },
  capitalization: {
    principal: [['loans_receivable', 'loans_receivable']],
    interest: [['loans_receivable', 'interest_receivable']],
    fee: [['loans_receivable', 'fees_receivable']],
  },
};

/** Money ordered from a bank stays in a clearing account until the day of the bank file. */
export const inTransitAccount = (role: AccountRole): AccountRole =>
  role === 'cash' ? 'ach_clearing' : role;
const ORDERED: readonly EventKind[] = ['disbursement', 'draw', 'payment', 'reimbursement'];

/** Kinds whose entries credit income that was recognised at accrual. They also post receivable relief. */
export const RECEIPT_KINDS: readonly LoanEvent['kind'][] = [
  'payment',
  'liquidation',
  'suspense_application',
];

/** Reference types in the ledger that differ from the event kind. */
const REFERENCES: Partial<Record<EventKind, string>> = {
  fee: 'fee_assessment',
  liquidation: 'collateral_liquidation',
  write_off: 'write_off_residual',
  accrual_stop: 'non_accrual',
  accrual_start: 'non_accrual',
};
export const referenceType = (kind: EventKind): string => REFERENCES[kind] ?? kind;

/** The account pairs of an event and component, including relief of a receivable. */
export function accountPairs(kind: EventKind, component: PostedComponent, isRelieved: boolean) {
  const pairs = POSTING_MATRIX[kind]?.[component] ?? [];
  const isIncome = component === 'interest' || component === 'fee';
  return isIncome && isRelieved && RECEIPT_KINDS.includes(kind)
    ? [...pairs, RECEIVABLE_RELIEF[component]]
    : pairs;
}

/** Kinds that increase a component, so that debit and credit are exchanged. */
const GROWING: Partial<Record<EventKind, readonly PostedComponent[]>> = {
  disbursement: ['principal'],
  draw: ['principal'],
  boarding: ['principal', 'interest', 'fee'],
  fee: ['fee'],
  reimbursement: ['principal', 'suspense', 'charge_off'],
  accrual_start: ['off_books'],
};

/** One row of the list of system-generated entries for accountants. */
export type SystemEntry = {
  reference_type: string;
  /** The part of the loan that moves. Null if the entry belongs to no loan. */
  component: string | null;
  debit: AccountRole;
  credit: AccountRole;
};

/** Lists every entry that a loan event can post, derived from the posting matrix. */
export function listEventEntries(): SystemEntry[] {
  const kinds = Object.entries(POSTING_MATRIX) as [
    EventKind,
    Partial<Record<PostedComponent, readonly AccountPair[]>>,
  ][];
  return kinds.flatMap(([kind, components]) =>
    (Object.keys(components) as PostedComponent[]).flatMap((component) =>
      accountPairs(kind, component, true)
        .filter(([debit, credit]) => debit !== credit)
        .flatMap(([debit, credit]) => {
          const grows = GROWING[kind]?.includes(component) ?? false;
          const sides = grows ? { debit: credit, credit: debit } : { debit, credit };
          const row = { reference_type: referenceType(kind), component, ...sides };
          return ORDERED.includes(kind) && [debit, credit].includes('cash')
            ? [
                row,
                {
                  ...row,
                  debit: inTransitAccount(row.debit),
                  credit: inTransitAccount(row.credit),
                },
              ]
            : [row];
        }),
    ),
  );
}

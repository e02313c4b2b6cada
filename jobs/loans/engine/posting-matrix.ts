import type { AccountRole } from '../../ledger/chart.ts';
import type { EventKind, LoanEvent } from './events.ts';

export type PostedComponent =
  'principal' | 'interest' | 'fee' | 'suspense' | 'charge_off' | 'surplus' | 'off_books';

/** Debit and credit for an amount by which an event reduces a component, in this order. */
export type AccountPair = readonly [debit: AccountRole, credit: AccountRole];

/** Income that was recognised when it accrued is not recognised again when it is paid. */
export const RECEIVABLE_RELIEF = {
  interest: ['interest_income', 'interest_receivable'],
  fee: ['fee_income', 'fees_receivable'],
} as const satisfies Partial<Record<PostedComponent, AccountPair>>;

/** Money from an account: what the specification's rows say. */
const received = (from: AccountRole): Partial<Record<PostedComponent, readonly AccountPair[]>> => ({
  principal: [[from, 'loans_receivable']],
  interest: [[from, 'interest_income']],
  fee: [[from, 'fee_income']],
  charge_off: [[from, 'recovery_income']],
  surplus: [[from, 'refunds_payable']],
});

/** The asset falls against an account that bears the loss; income not earned is taken back. */
const given = (by: AccountRole): Partial<Record<PostedComponent, readonly AccountPair[]>> => ({
  principal: [[by, 'loans_receivable']],
  interest: [RECEIVABLE_RELIEF.interest],
  fee: [RECEIVABLE_RELIEF.fee],
});

/**
 * The posting matrix (specification, "System-generated entries", and what completes it), as data: for
 * each kind of event and each component that it reduces, what is debited and credited. A component
 * that grows (money going out, a reopened principal) is the same pair with the sides exchanged.
 */
export const POSTING_MATRIX: Partial<
  Record<LoanEvent['kind'], Partial<Record<PostedComponent, readonly AccountPair[]>>>
> = {
  disbursement: { principal: [['cash', 'loans_receivable']], fee: [['cash', 'fee_income']] },
  draw: { principal: [['cash', 'loans_receivable']] },
  // What came over is the previous owner's until it is bought: it grows against what is owed to them.
  boarding: {
    principal: [['due_to_investors', 'loans_receivable']],
    interest: [['due_to_investors', 'interest_receivable']],
    fee: [['due_to_investors', 'fees_receivable']],
  },
  payment: { ...received('cash'), suspense: [['cash', 'borrower_suspense']] },
  liquidation: { ...received('cash'), suspense: [['cash', 'borrower_suspense']] },
  suspense_application: received('borrower_suspense'),
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
  charge_off: given('charge_off_expense'),
  forgiveness: given('charge_off_expense'),
  write_off: given('rounding'),
  // The sale has made what was owed the investor's; nothing of it is left here.
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

/** Money that a bank was ordered to move waits on an account of its own for the day of the file. */
export const inTransitAccount = (role: AccountRole): AccountRole =>
  role === 'cash' ? 'ach_clearing' : role;
const ORDERED: readonly EventKind[] = ['disbursement', 'draw', 'payment', 'reimbursement'];

/** Kinds whose rows credit income, which was recognised before: relief stands beside them. */
export const RECEIPT_KINDS: readonly LoanEvent['kind'][] = [
  'payment',
  'liquidation',
  'suspense_application',
];

/** What an event is called in the books, where that is not its kind. */
const REFERENCES: Partial<Record<EventKind, string>> = {
  fee: 'fee_assessment',
  liquidation: 'collateral_liquidation',
  write_off: 'write_off_residual',
  accrual_stop: 'non_accrual',
  accrual_start: 'non_accrual',
};
export const referenceType = (kind: EventKind): string => REFERENCES[kind] ?? kind;

/** What an event books for a component, relief included where it relieves a receivable. */
export function accountPairs(kind: EventKind, component: PostedComponent, isRelieved: boolean) {
  const pairs = POSTING_MATRIX[kind]?.[component] ?? [];
  const isIncome = component === 'interest' || component === 'fee';
  return isIncome && isRelieved && RECEIPT_KINDS.includes(kind)
    ? [...pairs, RECEIVABLE_RELIEF[component]]
    : pairs;
}

/** Kinds that let a component of the loan grow, so that their rows read the other way round. */
const GROWING: Partial<Record<EventKind, readonly PostedComponent[]>> = {
  disbursement: ['principal'],
  draw: ['principal'],
  boarding: ['principal', 'interest', 'fee'],
  fee: ['fee'],
  reimbursement: ['principal', 'suspense', 'charge_off'],
  accrual_start: ['off_books'],
};

/** One row of what the system books by itself, as an accountant reads it. */
export type SystemEntry = {
  reference_type: string;
  /** The part of the loan that moves; null where the entry is no loan's own. */
  component: string | null;
  debit: AccountRole;
  credit: AccountRole;
};

/** Every row that an event of a loan can book, read off the matrix that books it. */
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

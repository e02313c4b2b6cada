import { Big } from 'big.js';
import type { AccountRole } from '../../ledger/chart.ts';
import { parseMoney, ZERO } from '../../money.ts';
import type { LoanEvent } from './events.ts';
import type { AllocationLine } from './position.ts';

/** What an event means for the books: an amount for each account and side. */
export type Posting = {
  debit: Partial<Record<AccountRole, Big>>;
  credit: Partial<Record<AccountRole, Big>>;
};

type Component =
  'principal' | 'interest' | 'fee' | 'suspense' | 'charge_off' | 'surplus' | 'off_books';

/** Debit and credit for an amount by which an event reduces a component, in this order. */
type Pair = readonly [debit: AccountRole, credit: AccountRole];

/** Income that was recognised when it accrued is not recognised again when it is paid. */
const RELIEF = {
  interest: ['interest_income', 'interest_receivable'],
  fee: ['fee_income', 'fees_receivable'],
} as const satisfies Partial<Record<Component, Pair>>;

/** Money from an account: what the specification's rows say. */
const received = (from: AccountRole): Partial<Record<Component, readonly Pair[]>> => ({
  principal: [[from, 'loans_receivable']],
  interest: [[from, 'interest_income']],
  fee: [[from, 'fee_income']],
  charge_off: [[from, 'recovery_income']],
  surplus: [[from, 'refunds_payable']],
});

/** The asset falls against an account that bears the loss; income not earned is taken back. */
const given = (by: AccountRole): Partial<Record<Component, readonly Pair[]>> => ({
  principal: [[by, 'loans_receivable']],
  interest: [RELIEF.interest],
  fee: [RELIEF.fee],
});

/**
 * The posting matrix (specification, "System-generated entries", and what completes it), as data: for each kind
 * of event and each component that it reduces, what is debited and credited. A component that grows
 * (money going out, a reopened principal) is the same pair with the sides exchanged.
 */
const MATRIX: Partial<Record<LoanEvent['kind'], Partial<Record<Component, readonly Pair[]>>>> = {
  disbursement: { principal: [['cash', 'loans_receivable']], fee: [['cash', 'fee_income']] },
  draw: { principal: [['cash', 'loans_receivable']] },
  boarding: { principal: [['due_to_investors', 'loans_receivable']] },
  payment: { ...received('cash'), suspense: [['cash', 'borrower_suspense']] },
  recovery: { ...received('cash'), suspense: [['cash', 'borrower_suspense']] },
  liquidation: { ...received('cash'), suspense: [['cash', 'borrower_suspense']] },
  suspense_receipt: { suspense: [['cash', 'borrower_suspense']] },
  suspense_application: received('borrower_suspense'),
  reimbursement: {
    principal: [['cash', 'loans_receivable']],
    suspense: [['cash', 'borrower_suspense']],
  },
  accrual_stop: { off_books: [RELIEF.interest] },
  accrual_start: { off_books: [RELIEF.interest] },
  fee_waiver: { fee: [RELIEF.fee] },
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

/** Kinds whose rows credit income, which was recognised before: relief stands beside them. */
const RECEIPTS: readonly LoanEvent['kind'][] = [
  'payment',
  'recovery',
  'liquidation',
  'suspense_application',
];

/**
 * What an event posts, from the lines that the fold explains it by. Without relief, money posts the
 * specification's rows and nothing beside them.
 */
export function postingOf(
  event: LoanEvent,
  lines: readonly AllocationLine[],
  isRelieved = true,
): Posting {
  const posting: Posting = { debit: {}, credit: {} };
  if (event.kind === 'fee')
    add(posting, ['fees_receivable', 'fee_income'], parseMoney(event.amount));
  if (event.kind === 'boarding') boarded(posting, event);
  for (const { component, amount, is_off_books } of lines) {
    if (component === 'unapplied') continue;
    if (event.kind === 'capitalization' && component === 'principal') continue;
    for (const pair of pairsOf(event.kind, component, isRelieved)) {
      add(posting, is_off_books ? offBooks(pair) : pair, new Big(amount));
    }
  }
  return event.kind === 'disbursement' ? netCash(posting) : posting;
}

/** The money that really goes out: what the proceeds pay or the principal takes up never moves. */
function netCash({ debit, credit }: Posting): Posting {
  const { cash: kept = ZERO, ...debits } = debit;
  const { cash: out = ZERO, ...credits } = credit;
  const net = out.minus(kept);
  return {
    debit: net.lt(0) ? { ...debits, cash: net.abs() } : debits,
    credit: net.gt(0) ? { ...credits, cash: net } : credits,
  };
}

function pairsOf(kind: LoanEvent['kind'], component: Component, isRelieved: boolean) {
  const pairs = MATRIX[kind]?.[component] ?? [];
  const isIncome = component === 'interest' || component === 'fee';
  return isIncome && isRelieved && RECEIPTS.includes(kind) ? [...pairs, RELIEF[component]] : pairs;
}

/** No receivable stands for interest that is off the books: it is income when it comes. */
const offBooks = ([debit, credit]: Pair): Pair => [
  debit,
  credit === 'interest_receivable' ? 'interest_income' : credit,
];

function boarded(posting: Posting, event: Extract<LoanEvent, { kind: 'boarding' }>) {
  const { accrued_interest = '0.00', outstanding_fees = '0.00' } = event;
  add(posting, ['interest_receivable', 'due_to_investors'], parseMoney(accrued_interest));
  add(posting, ['fees_receivable', 'due_to_investors'], parseMoney(outstanding_fees));
}

function add(posting: Posting, [debit, credit]: Pair, amount: Big) {
  if (debit === credit) return;
  const [up, down] = amount.gte(0) ? [debit, credit] : [credit, debit];
  posting.debit[up] = (posting.debit[up] ?? ZERO).plus(amount.abs());
  posting.credit[down] = (posting.credit[down] ?? ZERO).plus(amount.abs());
}

/** What must still be posted so that `before` and this together come to `after`. */
export function difference(before: Posting, after: Posting): Posting {
  const change: Posting = { debit: {}, credit: {} };
  for (const side of ['debit', 'credit'] as const) {
    const other = side === 'debit' ? 'credit' : 'debit';
    const roles = new Set([
      ...Object.keys(before[side]),
      ...Object.keys(after[side]),
    ] as AccountRole[]);
    for (const role of roles) {
      const amount = (after[side][role] ?? ZERO).minus(before[side][role] ?? ZERO);
      if (amount.eq(0)) continue;
      const target = change[amount.gt(0) ? side : other];
      target[role] = (target[role] ?? ZERO).plus(amount.abs());
    }
  }
  return change;
}

export const isNothing = ({ debit, credit }: Posting): boolean =>
  Object.keys(debit).length === 0 && Object.keys(credit).length === 0;

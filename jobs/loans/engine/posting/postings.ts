import { Big } from 'big.js';
import type { AccountRole } from '../../../ledger/chart.ts';
import { isAboveZero, isBelowZero, isZero, parseMoney, ZERO } from '../../../money.ts';
import type { EventOf, LoanEvent } from '../events.ts';
import type { AllocationLine } from '../position.ts';
import {
  inTransitAccount,
  accountPairs,
  type PostedComponent,
  type AccountPair,
} from './posting-matrix.ts';

/** The amounts that an event posts, by account and side. */
export type EventPosting = {
  debit: Partial<Record<AccountRole, Big>>;
  credit: Partial<Record<AccountRole, Big>>;
};

/**
 * Builds an event's posting from the fold's explanation lines. With `isRelieved` false, receipts post only
 * the specification's entries. An event that happened at the previous servicer moves the loan's balances against the
 * amount due to the owner, because its money and its income are in other books.
 */
export function buildPosting(
  event: LoanEvent,
  lines: readonly AllocationLine[],
  isRelieved = true,
): EventPosting {
  return event.is_replayed
    ? againstOwner(buildOwnPosting(event, lines, true))
    : buildOwnPosting(event, lines, isRelieved);
}

function buildOwnPosting(
  event: LoanEvent,
  lines: readonly AllocationLine[],
  isRelieved: boolean,
): EventPosting {
  const posting: EventPosting = { debit: {}, credit: {} };
  for (const [component, amount] of increasedComponents(event)) {
    for (const pair of accountPairs(event.kind, component, isRelieved))
      addToPosting(posting, pair, amount.neg());
  }
  for (const { component, amount, is_off_books } of lines) {
    if (component === 'unapplied') continue;
    if (event.kind === 'capitalization' && component === 'principal') continue;
    for (const pair of accountPairs(event.kind, component, isRelieved)) {
      addToPosting(posting, is_off_books ? offBooks(pair) : pair, new Big(amount));
    }
  }
  // A fee that the law forgives posts nothing.
  if (event.kind === 'fee') return netPosting(posting);
  const moved = event.kind === 'disbursement' ? netCash(posting) : posting;
  return 'is_in_transit' in event ? inTransit(moved) : moved;
}

/** The balances of a loan that have an account in these books. */
const BALANCES: readonly string[] = [
  'loans_receivable',
  'interest_receivable',
  'fees_receivable',
  'borrower_suspense',
];

const againstOwner = ({ debit, credit }: EventPosting): EventPosting =>
  netPosting({ debit: toOwner(debit), credit: toOwner(credit) });

function toOwner(side: EventPosting['debit']): EventPosting['debit'] {
  const moved: EventPosting['debit'] = {};
  for (const [name, amount] of Object.entries(side) as [AccountRole, Big][]) {
    const role = BALANCES.includes(name) ? name : 'due_to_investors';
    moved[role] = (moved[role] ?? ZERO).plus(amount);
  }
  return moved;
}

/** One posting that moves what all of them move. */
export function sumPostings(postings: readonly EventPosting[]): EventPosting {
  const total: EventPosting = { debit: {}, credit: {} };
  for (const posting of postings)
    for (const side of ['debit', 'credit'] as const)
      for (const [role, amount] of Object.entries(posting[side]) as [AccountRole, Big][])
        total[side][role] = (total[side][role] ?? ZERO).plus(amount);
  return netPosting(total);
}

/** The bank has only received an order, so the money is not cash yet. */
const inTransit = ({ debit, credit }: EventPosting): EventPosting => ({
  debit: renameCashRoles(debit),
  credit: renameCashRoles(credit),
});
const renameCashRoles = (side: EventPosting['debit']) =>
  Object.fromEntries(
    (Object.entries(side) as [AccountRole, Big][]).map(([role, sum]) => [
      inTransitAccount(role),
      sum,
    ]),
  );

/** Posts only the money that leaves the bank. Deducted and capitalized fees do not move cash. */
function netCash({ debit, credit }: EventPosting): EventPosting {
  const { cash: cashDebit = ZERO, ...debits } = debit;
  const { cash: out = ZERO, ...credits } = credit;
  const net = out.minus(cashDebit);
  return {
    debit: isBelowZero(net) ? { ...debits, cash: net.abs() } : debits,
    credit: isAboveZero(net) ? { ...credits, cash: net } : credits,
  };
}

/** Off-books interest has no receivable. It becomes income when it is paid. */
const offBooks = ([debit, credit]: AccountPair): AccountPair => [
  debit,
  credit === 'interest_receivable' ? 'interest_income' : credit,
];

/** Additions to the debt for which the fold writes no line. */
function increasedComponents(event: LoanEvent): [PostedComponent, Big][] {
  if (event.kind === 'fee') return [['fee', parseMoney(event.amount)]];
  if (event.kind !== 'boarding') return [];
  const { outstanding_fees = '0.00' } = event;
  return [
    ['interest', parseMoney(interestBrought(event))],
    ['fee', parseMoney(outstanding_fees)],
  ];
}

/** The interest that a loan brought with it, which is not accrued here. */
export const interestBrought = (event: EventOf<'boarding'>): string =>
  event.takeover?.interest_accrued ?? event.accrued_interest ?? '0.00';

function addToPosting(posting: EventPosting, [debit, credit]: AccountPair, amount: Big) {
  if (debit === credit) return;
  const [up, down] = amount.gte(0) ? [debit, credit] : [credit, debit];
  posting.debit[up] = (posting.debit[up] ?? ZERO).plus(amount.abs());
  posting.credit[down] = (posting.credit[down] ?? ZERO).plus(amount.abs());
}

/** The correction that turns `before` into `after`. */
export function postingDifference(before: EventPosting, after: EventPosting): EventPosting {
  const change: EventPosting = { debit: {}, credit: {} };
  for (const side of ['debit', 'credit'] as const) {
    const other = side === 'debit' ? 'credit' : 'debit';
    const roles = new Set([
      ...Object.keys(before[side]),
      ...Object.keys(after[side]),
    ] as AccountRole[]);
    for (const role of roles) {
      const amount = (after[side][role] ?? ZERO).minus(before[side][role] ?? ZERO);
      if (isZero(amount)) continue;
      const target = change[isAboveZero(amount) ? side : other];
      target[role] = (target[role] ?? ZERO).plus(amount.abs());
    }
  }
  return change;
}

/** Nets each account so that it appears on one side only. */
export function netPosting({ debit, credit }: EventPosting): EventPosting {
  const net: EventPosting = { debit: {}, credit: {} };
  for (const role of new Set([...Object.keys(debit), ...Object.keys(credit)] as AccountRole[])) {
    const amount = (debit[role] ?? ZERO).minus(credit[role] ?? ZERO);
    if (!isZero(amount)) net[isAboveZero(amount) ? 'debit' : 'credit'][role] = amount.abs();
  }
  return net;
}

export const isEmptyPosting = ({ debit, credit }: EventPosting): boolean =>
  Object.keys(debit).length === 0 && Object.keys(credit).length === 0;

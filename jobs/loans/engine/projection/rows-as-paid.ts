import { Big } from 'big.js';
import { excessOver, max, min, money, parseMoney, sum, ZERO } from '../../../money.ts';
import type { InstallmentState } from '../bills.ts';
import type { Coverage } from '../coverage.ts';
import type { EventKind, LoanEvent } from '../events.ts';
import type { AllocationLine } from '../position.ts';
import type { LoanState } from '../state.ts';

/** Events that bring money, return it, or count as money. */
const MONEY_KINDS: readonly EventKind[] = [
  'payment',
  'suspense_application',
  'service_credit',
  'reimbursement',
];
const COMPONENTS = ['principal', 'interest', 'fee'] as const;
type Component = (typeof COMPONENTS)[number];

type Line = Pick<AllocationLine, 'event_id' | 'balance_before'> & {
  /** Null if the money repaid nothing. */
  component: Component | null;
  amount: Big;
  is_money: boolean;
};

/**
 * The start of a row's money: the index of a line, and the part of that line that belongs to the previous
 * row.
 */
type PaymentCut = { at: number; used: Big };

/** Amounts paid between two cuts. */
type Paid = Record<Component, Big>;

type History = Pick<LoanState, 'allocations' | 'coverage' | 'principal_balance'> & {
  events: readonly LoanEvent[];
  /** True if the open rows show their projected amounts. */
  is_payable: boolean;
};

/**
 * A schedule's rows with the amounts that were paid.
 *
 * - Each row ends at the balance at which the next one begins. The last paid row ends at the principal
 *   owed.
 * - Money belongs to the row it covers. Extra principal belongs to the last row covered before it.
 * - Draws, capitalization and forgiveness change only the balances.
 * - Rows paid to a previous servicer keep their payments.
 * - Canceled rows have no amounts.
 */
export function rowsAsPaid(
  rows: readonly InstallmentState[],
  history: History,
): InstallmentState[] {
  const lines = allocationLines(history);
  const cuts = findCuts(rows, history.coverage, lines);
  const owed = principalOwed(history, lines);
  const begins = rows.map((row, at) => {
    const cut = cuts[at];
    if (cut) return balanceAt(lines, cut) ?? owed;
    const isKept = !isNothing(row) && (history.is_payable || row.status === 'paid');
    return isKept ? parseMoney(row.beginning_balance) : null;
  });
  let running = begins.find((begin) => begin !== null) ?? owed;
  return rows.map((row, at) => {
    const following = at + 1;
    const cut = cuts[at];
    const paid = cut
      ? paidBetween(
          lines,
          cut,
          cuts.slice(following).find((next) => next),
        )
      : null;
    const beginning = begins[at] ?? running;
    const next = begins.slice(following).find((begin) => begin !== null) ?? owed;
    const shown = rowAsPaid(row, paid, { beginning, next, is_payable: history.is_payable });
    running = parseMoney(shown.ending_balance);
    return shown;
  });
}

type Around = { beginning: Big; next: Big; is_payable: boolean };

function rowAsPaid(row: InstallmentState, paid: Paid | null, context: Around): InstallmentState {
  const { beginning, next, is_payable } = context;
  if (row.status === 'paid')
    return {
      ...row,
      ...(paid ? amountsOf(paid) : retainedAmounts(row, context)),
      ...ends(beginning, next),
    };
  if (paid === null && isNothing(row))
    return {
      ...row,
      ...amountsOf(NOTHING),
      paid_amount: row.paid_amount,
      ...ends(beginning, beginning),
    };
  if (!is_payable)
    return { ...row, ...ends(beginning, excessOver(beginning, parseMoney(row.principal_amount))) };
  if (paid === null) return row;
  // The row's interest includes the earlier payments. Count only the projected part.
  const interest = parseMoney(row.interest_amount).minus(row.paid_amount);
  const { paid_amount } = amountsOf(paid);
  const whole = amountsOf({
    principal: paid.principal.plus(row.principal_amount),
    interest: paid.interest.plus(interest),
    fee: paid.fee.plus(row.fees_amount),
  });
  return { ...row, ...whole, paid_amount, beginning_balance: money(beginning) };
}

const isNothing = ({ status, payment_amount }: InstallmentState) =>
  status === 'canceled' || (status === 'paid' && parseMoney(payment_amount).eq(0));

const NOTHING: Paid = { principal: ZERO, interest: ZERO, fee: ZERO };

const ends = (beginning: Big, ending: Big) => ({
  beginning_balance: money(beginning),
  ending_balance: money(ending),
});

function amountsOf({ principal, interest, fee }: Paid) {
  const amount = money(sum([principal, interest, fee]));
  return {
    payment_amount: amount,
    paid_amount: amount,
    principal_amount: money(principal),
    interest_amount: money(interest),
    fees_amount: money(fee),
  };
}

/** For a row paid to a previous servicer only the payment is known. The split follows from the balances. */
function retainedAmounts(row: InstallmentState, { beginning, next }: Around) {
  const fees = parseMoney(row.fees_amount);
  const principal = excessOver(beginning, next);
  const payment = max(parseMoney(row.payment_amount), principal.plus(fees));
  return {
    payment_amount: money(payment),
    paid_amount: money(max(parseMoney(row.paid_amount), payment)),
    principal_amount: money(principal),
    interest_amount: money(payment.minus(principal).minus(fees)),
  };
}

/** Suspense money repays nothing. Its line has amount zero and only marks when the money arrived. */
function allocationLines({ allocations, events }: History): Line[] {
  const kinds = new Map(events.map(({ id, kind }) => [id, kind]));
  return allocations.map(({ event_id, component, amount, balance_before }) => {
    const known = COMPONENTS.find((name) => name === component) ?? null;
    const kind = kinds.get(event_id);
    const is_money = kind !== undefined && MONEY_KINDS.includes(kind);
    const counted = known === null ? ZERO : new Big(amount);
    return { event_id, component: known, amount: counted, is_money, balance_before };
  });
}

/** For each row the start of its money, or null if no money covers it. Rows use the lines in order. */
function findCuts(
  rows: readonly InstallmentState[],
  coverage: readonly Coverage[],
  lines: readonly Line[],
): (PaymentCut | null)[] {
  const first = new Map<number, { event_id: string; offset: Big }>();
  const used = new Map<string, Big>();
  for (const { event_id, installment_number, amount } of coverage) {
    const offset = used.get(event_id) ?? ZERO;
    if (!first.has(installment_number)) first.set(installment_number, { event_id, offset });
    used.set(event_id, offset.plus(amount));
  }
  let last: PaymentCut = { at: 0, used: ZERO };
  return rows.map(({ period_number }) => {
    const covered = first.get(period_number);
    const cut = covered ? findCut(lines, covered.event_id, covered.offset) : null;
    if (cut === null) return null;
    last = isBefore(cut, last) ? last : cut;
    return last;
  });
}

const isBefore = (one: PaymentCut, other: PaymentCut) =>
  one.at < other.at || (one.at === other.at && one.used.lt(other.used));

/** The position at which `offset` of the event's money is spent. */
function findCut(lines: readonly Line[], eventId: string, offset: Big): PaymentCut | null {
  const begin = lines.findIndex(({ event_id }) => event_id === eventId);
  if (begin < 0) return null;
  let left = offset;
  let at = begin;
  for (; lines[at]?.event_id === eventId; at += 1) {
    const { amount } = lines[at] as Line;
    if (left.lt(amount)) return { at, used: max(left, ZERO) };
    left = left.minus(amount);
  }
  return { at, used: ZERO };
}

/** The principal at a cut. Null if no later line moves principal. */
function balanceAt(lines: readonly Line[], { at, used }: PaymentCut): Big | null {
  const next = lines.findIndex((line, index) => index >= at && line.component === 'principal');
  const line = lines[next];
  if (line === undefined) return null;
  return parseMoney(line.balance_before).minus(next === at ? used : ZERO);
}

function paidBetween(
  lines: readonly Line[],
  from: PaymentCut,
  to: PaymentCut | null | undefined,
): Paid {
  const end = to ?? { at: lines.length, used: ZERO };
  const paid = { ...NOTHING };
  for (const [at, { component, amount, is_money }] of lines.entries()) {
    if (!is_money || component === null || at < from.at || at > end.at) continue;
    const until = at === end.at ? min(end.used, amount) : amount;
    paid[component] = paid[component].plus(at === from.at ? until.minus(from.used) : until);
  }
  return paid;
}

/** The owed principal. For a charged-off loan: the principal before the charge-off. */
function principalOwed({ events, principal_balance }: History, lines: readonly Line[]): Big {
  const losses = events.filter(
    (event) => event.kind === 'charge_off' && event.principal_amount === undefined,
  );
  const lost = lines.find(
    ({ event_id, component }) =>
      component === 'principal' && losses.some(({ id }) => id === event_id),
  );
  return parseMoney(lost?.balance_before ?? principal_balance);
}

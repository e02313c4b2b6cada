import * as quotes from '../../../sql/loans/payoff-quotes.ts';
import { recordAudit } from '../../audit.ts';
import { addDays } from '../../dates.ts';
import type { Work } from '../../work.ts';
import {
  ACCRUAL_STOP_REASONS,
  EVENT_KINDS,
  type EventKind,
  type LoanEvent,
} from '../engine/events.ts';
import type { AgreedStep } from '../engine/projection/agreed-steps.ts';
import type { ProjectionInput } from '../engine/projection/course.ts';
import { payoff } from '../engine/projection/payoff-amounts.ts';

/** Kinds of events that can change a payoff amount. Stops and starts of accrual have a reason instead. */
const KINDS = EVENT_KINDS.filter(
  (kind): kind is Exclude<EventKind, 'accrual_stop' | 'accrual_start'> =>
    kind !== 'accrual_stop' && kind !== 'accrual_start',
);

/** Why a payoff quote was superseded. */
export const SUPERSEDED_REASONS = [
  'newer_quote',
  'agreed_change',
  'payment_insufficient',
  ...ACCRUAL_STOP_REASONS.flatMap((reason) => [`${reason}_started`, `${reason}_ended`] as const),
  ...KINDS,
] as const;
type SupersededReason = (typeof SUPERSEDED_REASONS)[number];

/**
 * Supersedes the loan's payoff quote if one of its figures has changed. Figures of days that are over do not
 * count: a payoff precedes what happens at the close of its day. A change of due dates alone does not
 * supersede the quote.
 */
export async function supersedeStaleQuote(
  work: Work,
  quoteId: string | null,
  { as_of: _, ...history }: ProjectionInput,
  newEvents: readonly LoanEvent[],
) {
  const quote = quoteId === null ? null : await quotes.readQuoteInForce(work.tx, quoteId);
  if (quote === null) return;
  const { loan_id, payoff_date, good_through_date, prepayment_penalty, ...figures } = quote;
  const on = { payoff_date, good_through_date, prepayment_penalty };
  const agreed = (history.agreed ?? []).filter(isExpectedByQuotes);
  const now: Record<string, unknown> = payoff({ ...history, agreed }, on);
  const first = work.isClosingDay ? addDays(work.today, 1) : work.today;
  if (good_through_date < first) return;
  const { payoff_amount_good_through } = figures;
  const ahead = payoff_date < first ? { payoff_amount_good_through } : figures;
  if (Object.entries(ahead).every(([name, quoted]) => now[name] === quoted)) return;
  await supersedeActiveQuotes(work, loan_id, reasonOf(newEvents));
}

/**
 * A quote does not expect scheduled payments: its amount must repay the loan on every day of its validity,
 * and a borrower who pays it early may do so before them.
 */
export const isExpectedByQuotes = ({ pays }: AgreedStep) => pays === undefined;

/** Without an event, the reason is a relief, a modification or a payment that was agreed or canceled. */
function reasonOf([event]: readonly LoanEvent[]): SupersededReason {
  if (event === undefined) return 'agreed_change';
  if (event.kind === 'accrual_stop') return `${event.reason}_started`;
  if (event.kind === 'accrual_start') return `${event.reason}_ended`;
  return event.kind;
}

/** Supersedes the loan's active quote, or marks it as expired if its last day has passed. */
export async function supersedeActiveQuotes(work: Work, loanId: string, reason: SupersededReason) {
  for (const { id, status } of await quotes.supersedeQuotes(work.tx, loanId, reason)) {
    // The quote had already expired, so its status is no news for the audit log.
    if (status === 'expired') continue;
    const entity = { type: 'payoff_quotes', id, loan_id: loanId };
    await recordAudit(work, entity, 'update', { status: { old: 'active', new: status } });
  }
}

/** Supersedes accepted quotes whose payment did not pay the loan off. */
export async function supersedeAcceptedQuotes(work: Work, loan_id: string) {
  const reason: SupersededReason = 'payment_insufficient';
  for (const id of await quotes.supersedeAccepted(work.tx, loan_id, reason)) {
    const entity = { type: 'payoff_quotes', id, loan_id };
    await recordAudit(work, entity, 'update', { status: { old: 'accepted', new: 'superseded' } });
  }
}

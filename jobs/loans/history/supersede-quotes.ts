import * as quotes from '../../../sql/loans/payoff-quotes.ts';
import { recordAudit } from '../../audit.ts';
import type { Work } from '../../work.ts';
import type { LoanEvent } from '../engine/events.ts';
import type { AgreedStep } from '../engine/projection/agreed-steps.ts';
import type { ProjectionInput } from '../engine/projection/course.ts';
import { payoff } from '../engine/projection/payoff-amounts.ts';

/**
 * Supersedes the loan's payoff quote if one of its figures has changed. A change of due dates alone does
 * not supersede the quote.
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
  if (Object.entries(figures).every(([name, quoted]) => now[name] === quoted)) return;
  await supersedeActiveQuotes(work, loan_id, reasonOf(newEvents));
}

/**
 * A quote does not expect scheduled payments: its amount must repay the loan on every day of its validity,
 * and a borrower who pays it early may do so before them.
 */
export const isExpectedByQuotes = ({ pays }: AgreedStep) => pays === undefined;

/** Without an event, the reason is a relief, a modification or a payment that was agreed or canceled. */
function reasonOf([event]: readonly LoanEvent[]): string {
  if (event === undefined) return 'agreed_change';
  if (event.kind === 'accrual_stop') return `${event.reason}_started`;
  if (event.kind === 'accrual_start') return `${event.reason}_ended`;
  return event.kind;
}

/** Supersedes the loan's active quote, or marks it as expired if its last day has passed. */
export async function supersedeActiveQuotes(work: Work, loanId: string, reason: string) {
  for (const { id, status } of await quotes.supersedeQuotes(work.tx, loanId, reason)) {
    // The quote had already expired, so its status is no news for the audit log.
    if (status === 'expired') continue;
    const entity = { type: 'payoff_quotes', id, loan_id: loanId };
    await recordAudit(work, entity, 'update', { status: { old: 'active', new: status } });
  }
}

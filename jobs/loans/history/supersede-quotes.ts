import * as quotes from '../../../sql/loans/payoff-quotes.ts';
import { recordAudit } from '../../audit.ts';
import type { Work } from '../../work.ts';
import type { FoldInput } from '../engine/fold.ts';
import { payoff } from '../engine/payoff-amounts.ts';

/**
 * A payoff quote holds as long as it is what the loan costs: once anything that happens makes one of its
 * figures another, it is superseded, and whoever wants to pay asks for a new one. What only moves due
 * dates leaves it as it is.
 */
export async function supersedeStaleQuote(
  work: Work,
  quoteId: string | null,
  { terms, schedule, events }: FoldInput,
) {
  const quote = quoteId === null ? null : await quotes.readQuoteInForce(work.tx, quoteId);
  if (quote === null) return;
  const { loan_id, payoff_date, good_through_date, prepayment_penalty, ...figures } = quote;
  const on = { payoff_date, good_through_date, prepayment_penalty };
  const now: Record<string, unknown> = payoff({ terms, schedule, events }, on);
  if (Object.entries(figures).every(([name, quoted]) => now[name] === quoted)) return;
  await supersedeActiveQuotes(work, loan_id);
}

/** Ends the loan's active quote with the status that it has from now on, if there is one. */
export async function supersedeActiveQuotes(work: Work, loanId: string) {
  for (const { id, status } of await quotes.supersede(work.tx, loanId)) {
    // One whose last day is over was expired already, though its row had not said so.
    if (status === 'expired') continue;
    const entity = { type: 'payoff_quotes', id, loan_id: loanId };
    await recordAudit(work, entity, 'update', { status: { old: 'active', new: status } });
  }
}

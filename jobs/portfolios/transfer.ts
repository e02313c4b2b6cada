import { z } from 'zod';
import * as membership from '../../sql/portfolios/membership.ts';
import * as portfolios from '../../sql/portfolios/portfolios.ts';
import { date, prose, uuid } from '../../sql/types.ts';
import { Invalid } from '../errors.ts';
import type { Work } from '../work.ts';
import { assertPortfolioOpen, assertLoansExist, loanIds, moveAudit } from './assign.ts';

export const Transfer = z
  .object({
    target_portfolio_id: uuid.optional().describe('The portfolio that receives the loans.'),
    destination_portfolio_id: uuid
      .optional()
      .describe('The same as `target_portfolio_id`, which comes first.'),
    loan_ids: loanIds
      .optional()
      .describe('The loans to move, up to 10,000. Give either these or `all`.'),
    all: z.boolean().default(false).describe('Moves all loans of the portfolio.'),
    effective_date: date
      .optional()
      .describe(
        'The day of the transfer, for your records. The loans move immediately. Must not be in the future.',
      ),
    notes: prose.optional().describe('Kept in the history of each loan.'),
  })
  .superRefine(({ target_portfolio_id, destination_portfolio_id, loan_ids, all }, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    if (!(target_portfolio_id ?? destination_portfolio_id))
      refuse('target_portfolio_id', 'Is required.');
    if (all === (loan_ids !== undefined)) refuse('loan_ids', 'Give either loan_ids or all.');
  });

export const TransferResult = z.object({
  portfolio_id: uuid,
  target_portfolio_id: uuid.describe('The portfolio that received the loans.'),
  transferred_count: z.int().describe('How many loans moved.'),
  loan_ids: z.array(uuid).describe('The loans that moved.'),
  skipped: z
    .array(
      z.object({
        loan_id: uuid,
        reason: z.enum(['not_in_portfolio']).describe('Why the loan did not move.'),
      }),
    )
    .describe('The loans that did not move, with the reason.'),
});

/**
 * Moves loans to another portfolio. Loans that are not in this portfolio are skipped and listed. Both
 * portfolios are locked, so a concurrent transfer moves the remaining loans.
 */
export async function transferLoans(
  work: Work,
  id: string,
  input: z.output<typeof Transfer>,
): Promise<z.output<typeof TransferResult>> {
  const { loan_ids, notes, effective_date = work.today } = input;
  const field = input.target_portfolio_id ? 'target_portfolio_id' : 'destination_portfolio_id';
  const target = input[field] ?? '';
  if (target === id) throw new Invalid({ [field]: 'Must be another portfolio.' });
  if (effective_date > work.today)
    throw new Invalid({ effective_date: 'Must not be after the business date.' });
  const locked = await portfolios.lockPortfolios(work.tx, [id, target]);
  if (locked.length < 2) throw new Invalid({ [field]: 'Does not exist.' });
  for (const portfolio of locked) assertPortfolioOpen(portfolio);
  if (loan_ids) await assertLoansExist(work, loan_ids);
  const mover = moveAudit(work, 'transfer-portfolio', notes);
  const moved = await membership.transferLoans(
    work.tx,
    { from: id, to: target },
    loan_ids ?? null,
    mover,
  );
  const done = new Set(moved);
  const skipped = (loan_ids ?? []).filter((loan) => !done.has(loan));
  return {
    portfolio_id: id,
    target_portfolio_id: target,
    transferred_count: moved.length,
    loan_ids: [...moved],
    skipped: skipped.map((loan_id) => ({ loan_id, reason: 'not_in_portfolio' as const })),
  };
}

import { z } from 'zod';
import * as membership from '../../sql/portfolios/membership.ts';
import * as portfolios from '../../sql/portfolios/portfolios.ts';
import { uuid } from '../../sql/types.ts';
import { update } from '../../sql/write.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import { assertAdmin } from '../users/assert-admin.ts';
import type { Work } from '../work.ts';
import { Criteria, toMatchCriteria } from './criteria.ts';

export const LOANS_MAX = 10_000;
export const loanIds = z
  .array(uuid)
  .min(1)
  .max(LOANS_MAX)
  .transform((ids) => [...new Set(ids)]);

export const AutoAssign = z.object({
  dry_run: z.boolean().default(false).describe('If true, lists the loans without assigning them.'),
});
export const AssignmentResult = z.object({
  portfolio_id: uuid,
  assigned_count: z.int().describe('How many loans were added.'),
  loan_ids: z.array(uuid).describe('The loans that were added.'),
});

/**
 * Assigns every loan that meets the criteria and is in no portfolio to this dynamic portfolio. If two
 * portfolios want the same loan, the first to lock it gets it.
 */
export async function autoAssign(
  work: Work,
  id: string,
  { dry_run }: z.output<typeof AutoAssign>,
): Promise<z.output<typeof AssignmentResult>> {
  const [portfolio] = await portfolios.lockPortfolios(work.tx, [id]);
  if (!portfolio) throw new NotFound();
  assertPortfolioOpen(portfolio);
  if (portfolio.portfolio_type !== 'dynamic') throw notDynamic();
  const matching = toMatchCriteria(Criteria.parse(portfolio.criteria));
  const found = dry_run
    ? await membership.findMatching(work.tx, matching)
    : await membership.assignMatching(work.tx, id, matching, moveAudit(work, 'auto-assign'));
  return { portfolio_id: id, assigned_count: found.length, loan_ids: [...found] };
}

/**
 * Assigns loans to all dynamic portfolios, as every close of business does. Returns the number of loans
 * assigned.
 */
export async function assignToDynamicPortfolios(work: Work): Promise<number> {
  let assigned = 0;
  for (const id of await portfolios.listOpenDynamicIds(work.tx)) {
    assigned += (await autoAssign(work, id, { dry_run: false })).assigned_count;
  }
  return assigned;
}

export const AssignLoans = z.object({ loan_ids: loanIds.describe('Up to 10,000 loans.') });

/** Assigns the given loans to a static portfolio: all of them, or none. */
export async function assignLoans(
  work: Work,
  id: string,
  { loan_ids }: z.output<typeof AssignLoans>,
): Promise<z.output<typeof AssignmentResult>> {
  const [portfolio] = await portfolios.lockPortfolios(work.tx, [id]);
  if (!portfolio) throw new NotFound();
  assertPortfolioOpen(portfolio);
  if (portfolio.portfolio_type !== 'static') throw notStatic();
  const mover = moveAudit(work, 'assign-portfolio');
  const taken = await membership.assignUnassigned(work.tx, id, loan_ids, mover);
  const now = await assertLoansExist(work, loan_ids);
  const elsewhere = now.filter(({ portfolio_id }) => portfolio_id !== id);
  if (elsewhere.length > 0) {
    throw alreadyAssigned(elsewhere.map((loan) => loan.id));
  }
  return { portfolio_id: id, assigned_count: taken.length, loan_ids: [...taken] };
}

/**
 * Assigns a loan to a static portfolio, or removes it from its portfolio. To move it between portfolios,
 * use a transfer.
 */
export async function setLoanPortfolio(
  work: Work,
  loanId: string,
  to: string | null,
  from: string | null,
) {
  if (to === from) return;
  assertAdmin(work, 'move a loan between portfolios');
  const [portfolio] = await portfolios.lockPortfolios(work.tx, [to ?? from ?? '']);
  if (!portfolio) throw new Invalid({ portfolio_id: 'Does not exist.' });
  if (to !== null) {
    await assignLoans(work, to, { loan_ids: [loanId] });
    return;
  }
  assertPortfolioOpen(portfolio);
  await update(work.tx, 'loans', loanId, { portfolio_id: null });
}

/** The portfolios of the loans. Throws `Invalid` if a loan does not exist. */
export async function assertLoansExist({ tx }: Work, ids: readonly string[]) {
  const found = await membership.findPortfolios(tx, ids);
  if (found.length < ids.length)
    throw new Invalid({ loan_ids: 'Names a loan that does not exist.' });
  return found;
}

/** Loans cannot enter or leave a sold or archived portfolio. */
export function assertPortfolioOpen({ status, is_archived }: portfolios.LockedPortfolio) {
  if (status === 'sold') throw portfolioSold();
  if (is_archived) throw portfolioArchived();
}

export const moveAudit = (
  { actor }: Work,
  action: string,
  reason?: string,
): membership.MoveAudit => ({
  action,
  reason: reason ?? null,
  actor_type: actor.type,
  actor_id: actor.id,
  actor_email: actor.email,
  request_id: actor.request_id,
  ip_address: actor.ip,
});

export const alreadyAssigned = (loan_ids: string[]) =>
  new Conflict('A loan is already in another portfolio. Transfer it instead.', 'already_assigned', {
    loan_ids,
  });

export const portfolioSold = () => new Conflict('The portfolio is sold.', 'portfolio_sold');

export const notDynamic = () =>
  new Conflict('Only a dynamic portfolio assigns loans automatically.', 'not_dynamic');

export const notStatic = () =>
  new Conflict('Loans can be assigned manually only to a static portfolio.', 'not_static');

export const portfolioArchived = () =>
  new Conflict('The portfolio is archived.', 'portfolio_archived');

import type { Row } from '../../sql/table.ts';
import { insert, update, type Values } from '../../sql/write.ts';
import type { Work } from '../work.ts';
import { assertCriteria, type Criteria } from './criteria.ts';

type Input = Values & { portfolio_type?: string | undefined; criteria?: Criteria | undefined };
type NewPortfolio = Input & { name: string; portfolio_type: string; criteria: Criteria };

/** Adds a portfolio. A dynamic portfolio gets its loans on request or at close of business. */
export async function addPortfolio(work: Work, input: NewPortfolio): Promise<string> {
  await assertCriteria(work, input.criteria, input.portfolio_type === 'dynamic');
  return insert(work.tx, 'portfolios', input);
}

/** Changes the given fields. Loans that are already in the portfolio stay, even if they no longer match. */
export async function changePortfolio(work: Work, id: string, changes: Input, row: Row) {
  const { portfolio_type, criteria } = { ...row, ...changes } as Input;
  await assertCriteria(work, criteria ?? {}, portfolio_type === 'dynamic');
  await update(work.tx, 'portfolios', id, changes);
}

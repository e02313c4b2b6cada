import { addDays } from '../../jobs/dates.ts';
import { boardLoan } from '../../jobs/loans/boarding/board-loan.ts';
import { Boarding } from '../../jobs/loans/boarding/boarding-input.ts';
import { addPortfolio } from '../../jobs/portfolios/portfolio.ts';
import type { Work } from '../../jobs/work.ts';
import * as tape from '../../sql/loans/boarding/tape.ts';
import { insert } from '../../sql/write.ts';
import { copyLoans } from '../setup/copy-loans.ts';
import { makeTenant, openCachedWorld } from './cached-world.ts';
import { DAY, type BenchWorld } from './world.ts';

/** Boarded loans with different amounts and rates. All other loans are copies of them. */
const MODELS = 8;
const PORTFOLIOS = 4;

/**
 * A world with `count` active loans in four portfolios, each with a borrower, a history, a schedule and a
 * journal entry. The data is created once and cached.
 */
export const openWorldWithLoans = (count: number): Promise<BenchWorld> =>
  openCachedWorld(`loans-${count}`, async (url) => {
    await makeTenant(url, DAY, (work) => boardModels(work, Math.min(MODELS, count)));
    await copyLoans(url, count - Math.min(MODELS, count));
  });

/** Originated on as many days in a row, so that due dates are spread. */
const AGED_MODELS = 25;
/** The models that are past due, and the day through which they are paid. */
const LATE = new Map([
  [6, '2025-11-20'],
  [17, '2025-12-20'],
]);

/** The same with due dates spread over the month, and 8 percent of the loans past due. */
export const openWorldWithLateLoans = (count: number): Promise<BenchWorld> =>
  openCachedWorld(`late-loans-${count}`, async (url) => {
    await makeTenant(url, DAY, boardAgedModels);
    await copyLoans(url, count - AGED_MODELS);
  });

async function boardAgedModels(work: Work) {
  const [product] = await tape.listBoardableProducts(work.tx);
  const program_id = await tape.firstProgram(work.tx);
  for (let number = 0; number < AGED_MODELS; number += 1) {
    const borrower_id = await insert(work.tx, 'borrowers', {
      first_name: 'Ada',
      last_name: 'Byron',
    });
    const terms = {
      principal_amount: `${6_000 + 300 * number}.00`,
      interest_rate: '0.0899',
      term_months: 24,
      origination_date: addDays('2025-07-01', number),
      paid_through_date: LATE.get(number) ?? DAY,
    };
    const parents = { borrower_id, program_id, product_id: product?.id };
    await boardLoan(work, Boarding.parse({ ...parents, ...terms }));
  }
}

async function boardModels(work: Work, models: number) {
  const [product] = await tape.listBoardableProducts(work.tx);
  const program_id = await tape.firstProgram(work.tx);
  const portfolios: string[] = [];
  for (let number = 1; number <= PORTFOLIOS; number += 1) {
    const name = `Portfolio ${number}`;
    portfolios.push(await addPortfolio(work, { name, portfolio_type: 'static', criteria: {} }));
  }
  for (let number = 0; number < models; number += 1) {
    const borrower_id = await insert(work.tx, 'borrowers', {
      first_name: 'Ada',
      last_name: 'Byron',
    });
    const terms = {
      principal_amount: `${6_000 + 1_700 * number}.00`,
      interest_rate: `0.0${number + 1}99`,
      term_months: 12,
      origination_date: DAY,
    };
    const portfolio_id = portfolios[number % PORTFOLIOS];
    const parents = { borrower_id, program_id, product_id: product?.id, portfolio_id };
    await boardLoan(work, Boarding.parse({ ...parents, ...terms }));
  }
}

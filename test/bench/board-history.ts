import { boardLoan } from '../../jobs/loans/boarding/board-loan.ts';
import { Boarding } from '../../jobs/loans/boarding/boarding-input.ts';
import { readLoanParents } from '../../jobs/loans/origination/create.ts';
import { addMonths } from '../../jobs/dates.ts';
import { mapConcurrently } from '../../sql/database/batch-by-transaction.ts';
import * as tape from '../../sql/loans/boarding/tape.ts';
import { perSecond, parseSize, type Bench } from './figures.ts';
import { openWorld, type BenchWorld } from './world.ts';

const LOANS_PER_TRANSACTION = 100;
const MONTHS = 24;
const ORIGINATION = '2024-01-02';

/** Boards loans with two years of payments, which are replayed. */
export const benchHistories: Bench = async (words) => {
  const count = parseSize(words, { usual: 1_000, least: 100 });
  const world = await openWorld();
  await boardLoans(world, 0, count);
  const started = performance.now();
  const used = process.cpuUsage();
  await boardLoans(world, count, count);
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(used);
  console.log(`Node used ${((user + system) / 1_000 / count).toFixed(2)} ms per loan.`);
  await world.close();
  const ours = count / seconds;
  return [
    {
      what: `${count.toLocaleString('en')} loans are boarded with ${MONTHS} months of history`,
      ours: perSecond(ours),
      floor: '300 a second',
      ratio: ours / 300,
      target: { least: 1 },
    },
  ];
};

async function boardLoans({ within, tenant_id }: BenchWorld, from: number, count: number) {
  for (let at = from; at < from + count; at += LOANS_PER_TRANSACTION)
    await within(tenant_id, async (work) => {
      const [product] = await tape.listBoardableProducts(work.tx);
      const program_id = await tape.firstProgram(work.tx);
      const numbers = Array.from({ length: LOANS_PER_TRANSACTION }, (_, index) => at + index);
      const borrowers = await tape.addBorrowers(work.tx, numbers.map(borrowerOf));
      const parents = { program_id: program_id ?? '', product_id: product?.id ?? '' };
      const known = await readLoanParents(work, parents);
      await mapConcurrently(borrowers, ({ id, external_id }) =>
        boardLoan(work, inputOf(external_id, { ...parents, borrower_id: id }), known),
      );
    });
}

const borrowerOf = (index: number) => ({
  external_id: `HB-${index}`,
  first_name: 'First',
  last_name: `Last ${index}`,
  state: 'NY',
  street: '1 Main St',
  city: 'Albany',
  postal_code: '12207',
  email: null,
});

const inputOf = (number: string, parents: Record<string, string>) =>
  Boarding.parse({
    ...parents,
    loan_number: number,
    principal_amount: '10000.00',
    interest_rate: '0.0999',
    term_months: 60,
    origination_date: ORIGINATION,
    first_payment_date: '2024-02-02',
    history: {
      transactions: [
        ...Array.from({ length: MONTHS - 1 }, (_, month) => ({
          transaction_id: `P${month}`,
          date: addMonths(ORIGINATION, month + 1, 2 + (month % 5)),
          type: 'payment',
          amount: '212.42',
        })),
        { transaction_id: 'L', date: '2024-06-18', type: 'late_fee', amount: '25.00' },
      ],
    },
  });

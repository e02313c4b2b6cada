import { expect, test } from 'vitest';
import { tapeLine, tapeText } from '../setup/boarding-tapes.ts';
import { csvOf, loanRecord } from '../setup/books.ts';
import { runImports, uploadBook } from '../setup/imports.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

async function check(content: string, fields = {}) {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const sent = await uploadBook(admin, content, fields);
  await runImports(stage);
  const id = sent.body.id as string;
  const { status } = (await admin.get(`/imports/${id}`)).body as { status: string };
  const findings = (await admin.get(`/imports/${id}/findings`)).body as {
    line: number;
    column_name: string;
    code: string;
    severity: string;
    reason: string;
  }[];
  const places = findings.map((finding) =>
    [finding.line, finding.column_name, finding.code, finding.severity].join(' '),
  );
  return { tenant, admin, id, status, places, findings };
}

const DOUBTFUL = tapeText(
  tapeLine({ payment_amount: '50.00', current_principal_balance: '7000.00' }),
  tapeLine({ loan_number: 'T-2', current_principal_balance: '10100.00', payment_amount: '330.00' }),
);

test('doubtful loans are named, and boarded after a person has confirmed their totals', async () => {
  const { tenant, admin, id, status, places } = await check(DOUBTFUL);
  await admin.post(`/imports/${id}/confirm`, { loan_count: 2, principal_total: '17100.00' });
  await runImports(stage);

  expect(status).toBe('checked');
  expect(places).toEqual([
    '2 payment_amount payment_below_interest warning',
    '3 current_principal_balance balance_above_amount warning',
  ]);
  expect((await admin.get(`/imports/${id}`)).body).toMatchObject({ status: 'boarded' });
  const loans = (await tenant.officer.get('/loans')).body as { principal_balance: string }[];
  expect(loans.map((loan) => loan.principal_balance).toSorted()).toEqual(['10100.00', '7000.00']);
});

test('warnings refuse the file, or are left out, as the request says', async () => {
  const fields = {
    warnings_as_errors: 'payment_below_interest',
    accepted_warnings: 'balance_above_amount, duplicate_borrower',
  };

  const { status, places } = await check(DOUBTFUL, fields);

  expect(status).toBe('refused');
  expect(places).toEqual(['2 payment_amount payment_below_interest error']);
  const admin = await (await stage.tenant('2026-01-15')).signedIn('admin');
  const sent = await uploadBook(admin, DOUBTFUL, { accepted_warnings: 'invalid_value' });
  expect(sent.status).toBe(422);
});

test('mistakes between lines refuse the file', async () => {
  const { status, places } = await check(
    tapeText(
      tapeLine(),
      tapeLine(),
      tapeLine({ loan_number: 'T-2', borrower_first_name: 'Eve' }),
      tapeLine({ loan_number: 'T-3', product_code: 'NONE' }),
    )
      .replace(/purpose$/m, 'product_code')
      .replaceAll(',car', ','),
  );

  expect(status).toBe('refused');
  expect(places).toContain('3 loan_number duplicate_key error');
  expect(places).toContain('4 borrower_external_id borrower_differs error');
});

test('a loan of which only the next due date is known is as late as that date says', async () => {
  const csv = tapeText(
    tapeLine({ purpose: '2026-02-10' }),
    tapeLine({ loan_number: 'T-2', purpose: '2026-01-10' }),
  ).replace(/purpose$/m, 'next_due_date');

  const { tenant, admin, id, places } = await check(csv);
  await admin.post(`/imports/${id}/confirm`, { loan_count: 2, principal_total: '19513.06' });
  await runImports(stage);
  const loans = (await tenant.officer.get('/loans')).body as {
    loan_number: string;
    days_past_due: number;
  }[];

  expect(places).toEqual([]);
  expect(loans.map((loan) => `${loan.loan_number} ${loan.days_past_due}`).toSorted()).toEqual([
    'T-1 0',
    'T-2 5',
  ]);
});

/** Loans with different balances that are paid through 20 December, with the interest of so many days until 15 January. */
const withInterest = (count: number, days: number, basis: number) =>
  csvOf(
    ...Array.from({ length: count }, (_, at) => {
      const principal = 5_000 + at * 131;
      const loan = loanRecord({
        loan_number: `L-${at}`,
        borrower_external_id: `B-${at}`,
        current_principal_balance: `${principal}.00`,
        accrued_interest: (Math.round((principal * 8.5 * days) / basis) / 100).toFixed(2),
        origination_date: '2025-02-20',
        first_payment_date: '2025-03-20',
        paid_through_date: '2025-12-20',
      });
      const name = {
        borrower_first_name: 'Ada',
        borrower_last_name: 'Moreno',
        borrower_state: 'IL',
      };
      return { ...loan, ...name };
    }),
  );

test.each([
  ['30/360', 25, 360, 'Set the day_count of the product to 30_360'],
  ['actual/360', 26, 360, 'Set the day_count of the product to actual_360'],
  ['actual/365 with the interest of the day itself', 27, 365, 'State the interest through the day'],
] as const)(
  'stated interest that follows %s is doubted once for the file',
  async (named, days, basis, remedy) => {
    const { status, findings } = await check(withInterest(8, days, basis));
    const fourLoans = await check(withInterest(4, days, basis));

    const doubts = findings.filter(({ code }) => code === 'interest_counted_otherwise');
    expect(status).toBe('checked');
    expect(doubts).toMatchObject([{ line: 2, column_name: 'accrued_interest' }]);
    expect(doubts[0]?.reason).toContain(`looks like ${named}: 8 of 8 loans fit to the cent`);
    expect(doubts[0]?.reason).toContain(remedy);
    expect(fourLoans.places.join()).not.toContain('interest_counted_otherwise');
  },
);

test('stated interest that follows the product is not doubted', async () => {
  const { places } = await check(withInterest(8, 26, 365));

  expect(places.join()).not.toContain('interest_counted_otherwise');
});

import { addDays } from '../../../jobs/dates.ts';
import type { Within } from '../../../jobs/work.ts';
import { startProgressBar } from '../../processes/progress-bar.ts';
import { boardRows } from '../../demo/boarding.ts';
import { ApiRefusal, type Client } from '../../demo/client.ts';
import { runConcurrently } from '../../demo/concurrency.ts';
import { addProducts } from '../../demo/demo-tenant.ts';
import type { Story } from './kinds.ts';
import { BOOK_DAYS, planBook, type BookLoan } from './plan-book.ts';
import { isOriginated, STEP_DAYS, STEPS, type LiveLoan, type Staff } from './steps.ts';

type BookSite = {
  tenant_id: string;
  within: Within;
  officer: Client;
  admin: Client;
  /** Closes all days before the date. */
  advanceTo: (date: string) => Promise<void>;
};

/**
 * Boards and originates so many loans of the sandbox on its business date and services them for 75 days
 * through the API: payments, workouts, closes. The date is then 75 days later.
 */
export async function buildBook(site: BookSite, loans: number) {
  const { officer, admin, advanceTo } = site;
  const start = await site.within(site.tenant_id, ({ today }) => Promise.resolve(today));
  const planned = await planBook(loans, start);
  await addBookProducts(admin);
  const staff = await readStaff(officer, admin);
  const live = [...(await board(site, planned)), ...(await originate(staff, planned))];
  const payments = Map.groupBy(
    live.flatMap((loan) => paymentsOf(loan).map((payment) => ({ ...payment, loan }))),
    ({ date }) => date,
  );
  const bar = startProgressBar('Servicing', BOOK_DAYS);
  let paid = 0;
  for (let day = 0; day < BOOK_DAYS; day += 1) {
    const today = addDays(start, day);
    for (const [moment, on] of Object.entries(STEP_DAYS))
      if (on === day)
        await runConcurrently(live, async (loan) => {
          await STEPS[loan.kind.story][moment as keyof typeof STEP_DAYS]?.(staff, loan, today);
        });
    const due = payments.get(today) ?? [];
    await runConcurrently(due, async ({ loan, amount }) => {
      const payment = { amount, payment_date: today, payment_method: 'ach' };
      const key = `${loan.row.loan_number}-${today}`;
      await officer.post(`/loans/${loan.id}/payments`, payment, key);
    });
    await sendBankFile(admin, today);
    paid += due.length;
    await advanceTo(addDays(today, 1));
    bar.at(day + 1, `${today}  ${paid} payments`);
  }
  bar.end(`${live.length} loans, ${paid} payments, ${BOOK_DAYS} days`);
}

/** Sends the autopay draws of the previous close to the bank, if there are any. */
async function sendBankFile(admin: Client, today: string) {
  try {
    await admin.post('/nacha-files', {}, `bank-file-${today}`);
  } catch (error) {
    // There is nothing to send.
    if (!(error instanceof ApiRefusal && error.status === 409)) throw error;
  }
}

/** Autopay draws at the close, and these loans are billed by the platform only after they are funded. */
const paymentsOf = (loan: LiveLoan) =>
  isOriginated(loan) || /autopay/.test(loan.kind.story) ? [] : loan.payments;

async function board(site: BookSite, planned: readonly BookLoan[]): Promise<LiveLoan[]> {
  const boarded = planned.filter((loan) => !isOriginated(loan));
  const rows = boarded.map(({ row }) => row);
  const { ids, refusals } = await boardRows(site, site.tenant_id, rows, { file: 'seed' });
  if (refusals.length > 0) throw new Error(`The book was refused: ${JSON.stringify(refusals)}`);
  const live: LiveLoan[] = [];
  await runConcurrently(boarded, async (loan) => {
    const id = ids.get(loan.row.loan_number) ?? '';
    const { borrower_id } = await site.officer.get<{ borrower_id: string }>(`/loans/${id}`);
    live.push({ ...loan, id, borrower_id });
  });
  return live.toSorted((one, other) => (one.row.loan_number < other.row.loan_number ? -1 : 1));
}

/** Creates the borrowers and the applications of loans that are not boarded. */
async function originate(staff: Staff, planned: readonly BookLoan[]): Promise<LiveLoan[]> {
  const live: LiveLoan[] = [];
  for (const loan of planned.filter(isOriginated)) {
    const { row, kind } = loan;
    const { officer } = staff;
    const person = {
      first_name: row.borrower_first_name,
      last_name: row.borrower_last_name,
      external_id: row.borrower_external_id,
    };
    const key = (what: string) => `${row.loan_number}-${what}`;
    const { id: borrower_id } = await officer.post<{ id: string }>(
      '/borrowers',
      person,
      key('borrower'),
    );
    const address = {
      street_line_1: row.borrower_street,
      city: row.borrower_city,
      state: row.borrower_state,
      postal_code: row.borrower_postal_code,
      is_primary: true,
    };
    await officer.post(`/borrowers/${borrower_id}/addresses`, address, key('address'));
    const email = { email: row.borrower_email, is_primary: true };
    await officer.post(`/borrowers/${borrower_id}/emails`, email, key('email'));
    const application = {
      borrower_id,
      program_id: staff.program_id,
      product_id: staff.products.get(productCodeOf(kind.story)),
      principal_amount: row.principal_amount,
      interest_rate: row.interest_rate,
      term_months: row.term_months,
    };
    const { id } = await officer.post<{ id: string }>('/loans', application, key('loan'));
    live.push({ ...loan, id, borrower_id });
  }
  return live;
}

function productCodeOf(story: Story): string {
  if (story === 'interest_only') return 'INTEREST-ONLY';
  return story === 'line_of_credit' ? 'LINE' : 'PERSONAL';
}

const BOOK_PRODUCTS = [
  {
    code: 'INTEREST-ONLY',
    name: 'Interest-only loan',
    amortization: 'interest_only',
    late_fee_grace_days: 15,
  },
  {
    code: 'LINE',
    name: 'Line of credit',
    loan_type: 'line_of_credit',
    minimum_payment: { percentage: '0.02', floor_amount: '25.00' },
    payment_due_days: 25,
    late_fee_grace_days: 10,
  },
];

async function addBookProducts(admin: Client) {
  await addProducts(admin);
  const [program] = await admin.get<{ id: string }[]>('/programs');
  for (const product of BOOK_PRODUCTS)
    await admin.post(
      '/products',
      { ...product, program_id: program?.id },
      `product-${product.code}`,
    );
}

async function readStaff(officer: Client, admin: Client): Promise<Staff> {
  const [program] = await admin.get<{ id: string }[]>('/programs');
  const products = await admin.get<{ id: string; code: string }[]>('/products');
  return {
    officer,
    admin,
    program_id: program?.id ?? '',
    products: new Map(products.map(({ id, code }) => [code, id])),
  };
}

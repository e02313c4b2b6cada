import { addMonths } from '../../jobs/dates.ts';
import { checkFiles, type Finding } from '../../jobs/loans/reporting/checks/check-furnished.ts';
import {
  readMetro2,
  type FurnishedAccount,
} from '../../jobs/loans/reporting/metro2/read-metro2.ts';
import {
  fileLines,
  makeReportable,
  newReportingTenant,
  runCreditReports,
} from '../setup/credit-reporting.ts';
import { LINE_OF_CREDIT } from '../setup/lines-of-credit.ts';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import type { Stage, Tenant } from '../setup/world.ts';
import { STORIES, type BookLoan, type Start, type Step } from './credit-stories.ts';
import { some } from './month.ts';

/** Loans are due on the 5th. */
const FIRST_DAY = '2026-01-05';

type Ground = {
  tenant: Tenant;
  program_id: string;
  usual_product: string;
  products: Map<Start, string>;
};

const PRODUCTS: Partial<Record<Start, Record<string, unknown>>> = {
  line: { ...LINE_OF_CREDIT, metro2_portfolio_type: 'C', metro2_account_type: '15' },
  mortgage: { metro2_portfolio_type: 'M', metro2_account_type: '26' },
  biweekly: { payment_frequency: 'biweekly' },
};

/** Loans that another servicer lent: two years old, paid until the last month, until August, or charged off. */
const BOARDED: Partial<Record<Start, Record<string, unknown>>> = {
  boarded: { paid_through_date: '2026-01-05', payment_history_profile: `${'0'.repeat(23)}B` },
  boarded_late: {
    paid_through_date: '2025-11-05',
    first_delinquency_date: '2025-12-05',
    last_payment_date: '2025-11-05',
    payment_history_profile: `${'0'.repeat(23)}B`,
  },
  boarded_loss: {
    status: 'charged_off',
    paid_through_date: '2025-02-05',
    last_payment_date: '2025-02-05',
    first_delinquency_date: '2025-03-05',
    charge_off_date: '2025-09-30',
    charge_off_amount: '2400.00',
    payment_history_profile: `LLL654321${'0'.repeat(14)}B`,
  },
};

async function begin(ground: Ground, story: string, number: number): Promise<BookLoan> {
  const { tenant, program_id, usual_product, products } = ground;
  const start = STORIES[story]?.start;
  const principal_amount = `${3_000 + 37 * (number % 150)}.00`;
  const terms = {
    principal_amount,
    interest_rate: '0.12',
    term_months: start === 'short' ? 6 : 36,
    program_id,
    product_id: (start && products.get(start)) ?? usual_product,
  };
  const { id, borrower_id } =
    start !== undefined && start in BOARDED
      ? await board(ground, { ...terms, ...BOARDED[start] })
      : await newLoan(tenant, { ...terms, ...(start === 'line' && { status: 'approved' }) });
  if (start === 'line')
    await sent(tenant.officer.post(`/loans/${id}/disburse`, { amount: '1500.00' }));
  await makeReportable(tenant, borrower_id);
  const role = start === 'joint' ? 'co_borrower' : start === 'guarantor' ? 'co_signer' : null;
  const other_id = role === null ? null : await addPerson(tenant, id, role);
  const { payment_amount, loan_number } = (await tenant.officer.get(`/loans/${id}`)).body;
  return {
    id,
    account_number: loan_number.replaceAll('-', ''),
    number,
    story,
    borrower_id,
    other_id,
    payment: payment_amount ?? '0.00',
    last_payment_id: null,
    relief_id: null,
    legal: null,
  };
}

async function sent(replying: Promise<{ status: number; body: unknown }>) {
  const { status, body } = await replying;
  if (status >= 300) throw new Error(JSON.stringify(body));
  return body as Record<string, unknown>;
}

async function board({ tenant }: Ground, terms: Record<string, unknown>) {
  const { officer } = tenant;
  const borrower = await sent(
    officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' }),
  );
  const made = await sent(
    officer.post('/loans/board', {
      borrower_id: borrower['id'],
      current_principal_balance: '2400.00',
      origination_date: '2024-01-05',
      first_payment_date: '2024-02-05',
      ...terms,
    }),
  );
  return { id: String(made['id']), borrower_id: String(borrower['id']) };
}

async function addPerson(tenant: Tenant, id: string, role: string): Promise<string> {
  const who = { first_name: 'Alan', last_name: 'Turing' };
  const borrower_id = String((await sent(tenant.officer.post('/borrowers', who)))['id']);
  await makeReportable(tenant, borrower_id);
  await sent(tenant.officer.post(`/loans/${id}/co-borrowers`, { borrower_id, role }));
  return borrower_id;
}

type BookOptions = {
  count: number;
  months: number;
  /** Receives the findings of all files so far. */
  onMonth?: (month: string, findings: readonly Finding[], loans: readonly BookLoan[]) => void;
};

/** A file of the book, with its text as a bureau reads it. */
type MonthlyFile = { id: string; accounts: FurnishedAccount[] };

/**
 * Lends a book of loans in every state that the bureaus receive, lives it for some months through real closes,
 * and makes each month's file.
 */
export async function liveTheBook(
  stage: Stage,
  { count, months, onMonth = () => {} }: BookOptions,
) {
  const tenant = await newReportingTenant(stage, FIRST_DAY);
  const admin = await tenant.signedIn('admin');
  const [usual] = (await tenant.officer.get('/products?code=DEFAULT')).body as { id: string }[];
  const products = new Map<Start, string>();
  for (const [start, wish] of Object.entries(PRODUCTS))
    products.set(start as Start, await newProduct(tenant, wish, admin));
  const ground = {
    tenant,
    program_id: await tenant.first('/programs'),
    usual_product: usual?.id ?? '',
    products,
  };
  const names = Object.keys(STORIES);
  const loans: BookLoan[] = [];
  await some(
    Array.from({ length: count }, (_, number) => number),
    async (number) => {
      loans.push(await begin(ground, names[number % names.length] ?? '', number));
    },
  );
  const act = (today: string, choose: (loan: BookLoan) => Step | null | undefined) =>
    some(loans, async (loan) => {
      await choose(loan)?.(loan, { officer: tenant.officer, admin, today });
    });
  const files: MonthlyFile[] = [];
  const findings = () => checkFiles(files.map(({ accounts }) => accounts));
  for (let month = 1; month <= months; month += 1) {
    const first = addMonths('2026-01-01', month);
    const variantOf = ({ number }: BookLoan) => Math.floor(number / names.length);
    const [tenth, twentieth] = [`${first.slice(0, 8)}10`, `${first.slice(0, 8)}20`];
    await travelTo(stage, tenant, tenth);
    await act(tenth, (loan) => STORIES[loan.story]?.on10?.(month, variantOf(loan)));
    await travelTo(stage, tenant, twentieth);
    await act(twentieth, (loan) => STORIES[loan.story]?.on20?.(month, variantOf(loan)));
    await travelTo(stage, tenant, addMonths(first, 1));
    await runCreditReports(stage);
    const made = await sent(admin.post('/credit-reporting-files'));
    const lines = await fileLines(stage, tenant, String(made['filename']));
    files.push({ id: String(made['id']), accounts: readMetro2(lines.join('\n')) });
    onMonth(first, findings(), loans);
  }
  return { admin, loans, findings: findings() };
}

import { addDays, addMonths } from '../../../jobs/dates.ts';
import type { Body, Client } from '../../demo/client.ts';
import { pledgeCollateral } from '../../demo/collateral.ts';
import type { Story } from './kinds.ts';
import type { BookLoan } from './plan-book.ts';

/** Who changes the book, and its products by code. */
export type Staff = {
  officer: Client;
  admin: Client;
  program_id: string;
  products: ReadonlyMap<string, string>;
};

/** A loan of the book with the ids of its records. */
export type LiveLoan = BookLoan & { id: string; borrower_id: string };

type Step = (staff: Staff, loan: LiveLoan, today: string) => Promise<unknown>;

const keyOf = ({ row }: BookLoan, what: string) => `${row.loan_number}-${what}`;

/** Posts once for the loan: `path` is below the loan. */
const onLoan =
  (path: string, body: (today: string, loan: LiveLoan) => Body, who: 'officer' | 'admin') =>
  (staff: Staff, loan: LiveLoan, today: string) =>
    staff[who].post(`/loans/${loan.id}/${path}`, body(today, loan), keyOf(loan, path));

const byOfficer = (path: string, body: (today: string, loan: LiveLoan) => Body) =>
  onLoan(path, body, 'officer');
const byAdmin = (path: string, body: (today: string, loan: LiveLoan) => Body) =>
  onLoan(path, body, 'admin');

const inOrder =
  (...steps: readonly Step[]): Step =>
  async (staff, loan, today) => {
    for (const step of steps) await step(staff, loan, today);
  };

const note =
  (category: string, body: string): Step =>
  ({ officer }, loan) =>
    officer.post(
      `/borrowers/${loan.borrower_id}/notes`,
      { loan_id: loan.id, category, body },
      keyOf(loan, 'note'),
    );

/** The account and the plan from which the close of business draws each installment. */
const enrollInAutopay: Step = async ({ admin }, loan) => {
  const account = {
    bank_name: 'Example Bank',
    account_holder_name: `${loan.row.borrower_first_name} ${loan.row.borrower_last_name}`,
    routing_number: '091000019',
    account_number: `1000${loan.row.loan_number.slice(-4)}`,
    account_type: 'checking',
    verification_method: 'manual',
    is_verified: true,
  };
  const owner = `/borrowers/${loan.borrower_id}`;
  const { id } = await admin.post<{ id: string }>(
    `${owner}/payment-instruments`,
    account,
    keyOf(loan, 'account'),
  );
  const plan = { loan_id: loan.id, payment_instrument_id: id };
  await admin.post(`${owner}/autopay-plans`, plan, keyOf(loan, 'autopay'));
};

const pledge: Step = ({ officer }, loan) => pledgeCollateral(officer, loan.row, loan.id);

const addCoBorrower: Step = async ({ officer }, loan) => {
  const person = {
    first_name: 'Alex',
    last_name: loan.row.borrower_last_name,
    external_id: keyOf(loan, 'co-borrower'),
  };
  const { id } = await officer.post<{ id: string }>('/borrowers', person, keyOf(loan, 'person'));
  const party = { borrower_id: id, role: 'co_borrower' };
  await officer.post(`/loans/${loan.id}/co-borrowers`, party, keyOf(loan, 'co-borrower'));
};

const openCase =
  (subject: string, description: string): Step =>
  ({ officer }, loan) =>
    officer.post(
      '/cases',
      { borrower_id: loan.borrower_id, loan_id: loan.id, subject, description },
      keyOf(loan, 'case'),
    );

const resolveCase: Step = async ({ officer }, loan) => {
  const { id } = await officer.post<{ id: string }>(
    '/cases',
    {
      borrower_id: loan.borrower_id,
      loan_id: loan.id,
      subject: 'Copy of the agreement',
      description: 'The borrower lost the loan agreement and asks for a copy.',
    },
    keyOf(loan, 'case'),
  );
  const answer = { message: 'We mailed a copy to the address on file.', is_internal: true };
  await officer.post(`/cases/${id}/messages`, answer, keyOf(loan, 'answer'));
  await officer.put(`/cases/${id}`, { status: 'resolved', resolution: 'Copy mailed.' });
};

/** A case with legal effect, with its facts. */
const openLegalCase =
  (case_type: string, facts: (today: string) => Body): Step =>
  ({ officer }, loan, today) =>
    officer.post(
      '/cases',
      {
        borrower_id: loan.borrower_id,
        case_type,
        subject: `Notice of ${case_type}`,
        description: 'The borrower sent the papers.',
        facts: facts(today),
      },
      keyOf(loan, case_type),
    );

const changeBorrower =
  (changes: Body): Step =>
  ({ officer }, loan) =>
    officer.put(`/borrowers/${loan.borrower_id}`, changes);

type Payment = { id: string; status: string; payment_date: string };

/** Returns the newest completed payment of the loan as the bank would. */
const bounceLastPayment: Step = async ({ officer }, loan) => {
  const filter = JSON.stringify({ status: ['completed', 'settled'] });
  const query = new URLSearchParams({ filter, sort: '["payment_date","DESC"]', range: '[0,0]' });
  const [last] = await officer.get<Payment[]>(`/loans/${loan.id}/payments?${query}`);
  if (!last) return;
  const bounce = { payment_id: last.id, return_code: 'R01' };
  await officer.post('/sandbox/bounce-payment', bounce, keyOf(loan, 'bounce'));
};

const approve = byAdmin('approve', () => ({}));
const disburse = byAdmin('disburse', (today) => ({ disbursement_date: today }));
const draw =
  (what: string, amount: string, purpose: string): Step =>
  ({ officer }, loan, today) =>
    officer.post(
      `/loans/${loan.id}/draws`,
      { amount, draw_date: today, purpose },
      keyOf(loan, what),
    );

/** Days after the start of the book. */
export const STEP_DAYS = { boarding: 0, lending: 20, workouts: 60, last: 70 } as const;
type Moment = keyof typeof STEP_DAYS;

/** The records and actions of each story, at the moments of the book. */
export const STEPS: Record<Story, Partial<Record<Moment, Step>>> = {
  none: {},
  slow_payer: { last: note('call', 'Pays some days late every month, after payday.') },
  application_pending: {},
  application_approved: { last: approve },
  application_denied: {
    last: byAdmin('deny', () => ({ reasons: ['income_insufficient'] })),
  },
  application_canceled: { last: byAdmin('cancel', () => ({ reason: 'borrower_withdrew' })) },
  new_loan: { lending: inOrder(approve, disburse) },
  interest_only: { boarding: inOrder(approve, disburse) },
  line_of_credit: {
    boarding: inOrder(
      approve,
      byAdmin('disburse', (today) => ({ disbursement_date: today, amount: '1500.00' })),
    ),
    lending: draw('draw', '400.00', 'Repairs'),
  },
  autopay: { boarding: enrollInAutopay },
  bounced_autopay: { boarding: enrollInAutopay, last: bounceLastPayment },
  bounced_payment: { last: bounceLastPayment },
  car_loan: { boarding: pledge },
  equipment_loan: { boarding: pledge },
  co_borrower: { boarding: addCoBorrower },
  overpaid: {
    last: byOfficer('payments', (today) => ({
      amount: '900.00',
      payment_date: today,
      payment_type: 'extra_principal',
    })),
  },
  paid_off: { last: byAdmin('pay-off', () => ({ payment_method: 'wire' })) },
  payoff_quote: {
    last: byOfficer('payoff-quotes', (today) => ({ payoff_date: addDays(today, 10) })),
  },
  promotion: {
    workouts: byAdmin('activate-promo', () => ({
      name: 'Spring rate',
      promo_rate: '0.0199',
      duration_months: 6,
    })),
  },
  case_open: {
    last: openCase('Wrong payment date', 'The borrower asks why a payment counts from Tuesday.'),
  },
  case_resolved: { last: resolveCase },
  promise_to_pay: {
    last: byOfficer('promises-to-pay', (today, { row }) => ({
      promised_amount: row.payment_amount,
      promised_date: addDays(today, 14),
    })),
  },
  payment_plan: {
    workouts: byOfficer('payment-plans', (today) => ({
      plan_type: 'catch_up',
      start_date: addDays(today, 20),
      frequency: 'monthly',
      number_of_payments: 4,
    })),
  },
  forbearance: {
    workouts: byOfficer('forbearances', (today) => ({
      start_date: today,
      end_date: addMonths(today, 3),
      reason: 'Reduced working hours.',
    })),
  },
  deferment: {
    workouts: byOfficer('deferments', () => ({ periods: 2, reason: 'Parental leave.' })),
  },
  modified_rate: {
    workouts: byAdmin('modifications', () => ({
      modification_type: 'rate_change',
      new_interest_rate: '0.04',
      reason: 'hardship',
    })),
  },
  modified_term: {
    workouts: byAdmin('modifications', () => ({
      modification_type: 'term_extension',
      extend_months: 12,
      capitalize_interest: true,
      reason: 'hardship',
    })),
  },
  frozen: {
    workouts: inOrder(
      openLegalCase('servicemember', (today) => ({
        service_from: addMonths(today, -1),
        evidence: 'orders',
        notice_received_date: today,
      })),
      byAdmin('freeze', () => ({ reason: 'scra', notes: 'Active duty since last month.' })),
    ),
  },
  bankruptcy: {
    workouts: inOrder(
      openLegalCase('bankruptcy', (today) => ({
        chapter: '13',
        petition_date: addDays(today, -3),
        court: 'U.S. Bankruptcy Court',
        court_case_number: '00-10013',
      })),
      byAdmin('freeze', () => ({ reason: 'bankruptcy' })),
      note('legal', 'Chapter 13 petition received. All contact through the attorney.'),
    ),
  },
  disputed: {
    last: byOfficer('credit-disputes', (today) => ({
      dispute_codes: ['001'],
      received_date: today,
    })),
  },
  hardship_application: {
    last: ({ officer }, loan) =>
      officer.post(
        '/hardship-applications',
        {
          borrower_id: loan.borrower_id,
          loan_id: loan.id,
          hardship_type: 'job_loss',
          requested_action: 'forbearance',
          description: 'I lost my job and expect a new one in the summer.',
        },
        keyOf(loan, 'hardship'),
      ),
  },
  do_not_contact: { last: changeBorrower({ do_not_contact: true }) },
  matured: { last: note('collections', 'The loan has matured with a balance.') },
  accelerated: { workouts: byAdmin('accelerate', () => ({ reason: 'Four installments missed.' })) },
  non_accrual: {
    workouts: byAdmin('non-accrual', () => ({ enabled: true, reason: 'management' })),
  },
  charged_off: { last: byAdmin('charge-off', () => ({ reason: 'delinquency' })) },
};

/** Loans that begin in the book with an application. Other loans are boarded. */
export const isOriginated = ({ kind: { story } }: BookLoan) =>
  /^application_|^(new_loan|interest_only|line_of_credit)$/.test(story);

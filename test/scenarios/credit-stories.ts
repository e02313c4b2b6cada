import { addMonths } from '../../jobs/dates.ts';
import type { Client } from '../setup/client.ts';

type Body = Record<string, unknown>;

/** A loan of the book, with what its story needs to remember. */
export type BookLoan = {
  id: string;
  account_number: string;
  number: number;
  story: string;
  borrower_id: string;
  other_id: string | null;
  payment: string;
  last_payment_id: string | null;
  relief_id: string | null;
  /** The open case and its facts. */
  legal: { id: string; facts: Body } | null;
};

/** How a loan begins. Otherwise it is lent on the first day for 36 months at 12 percent. */
export type Start =
  | 'line'
  | 'joint'
  | 'guarantor'
  | 'boarded'
  | 'boarded_late'
  | 'boarded_loss'
  | 'mortgage'
  | 'biweekly'
  | 'short';

/** The staff and the business date. */
export type Scene = { officer: Client; admin: Client; today: string };
export type Step = (loan: BookLoan, scene: Scene) => Promise<unknown>;
/** What happens to a loan in a month (1 is the first month with a due date), on the 10th or on the 20th. */
export type Story = {
  start?: Start;
  on10?: (month: number, variant: number) => Step | null;
  on20?: (month: number, variant: number) => Step | null;
};

async function send(client: Client, path: string, body: Body = {}): Promise<Body> {
  const reply = await client.post(path, body);
  if (reply.status >= 300) throw new Error(`POST ${path}: ${JSON.stringify(reply.body)}`);
  return reply.body as Body;
}

async function change(client: Client, path: string, body: Body): Promise<void> {
  const reply = await client.put(path, body);
  if (reply.status >= 300) throw new Error(`PUT ${path}: ${JSON.stringify(reply.body)}`);
}

const wholeDollars = (amount = '0.00') => BigInt(amount.split('.')[0] ?? '0');

/** Pays that many installments, rounded up to dollars so that nothing remains due. */
const pay =
  (times = 1): Step =>
  async (loan, { officer }) => {
    const amount = `${(wholeDollars(loan.payment) + 1n) * BigInt(times)}.00`;
    const paid = await send(officer, `/loans/${loan.id}/payments`, { amount });
    loan.last_payment_id = String(paid['id']);
  };

const payOff: Step = async (loan, { officer }) => {
  const paid = await send(officer, `/loans/${loan.id}/pay-off`);
  const list = (await officer.get(`/loans/${loan.id}/payments`)).body as Body[];
  loan.last_payment_id = String(list[0]?.['id'] ?? paid['id']);
};
const reverseLast: Step = (loan, { officer }) =>
  send(officer, `/payments/${loan.last_payment_id}/reverse`, { reason: 'nsf' });
const chargeOff: Step = (loan, { admin }) =>
  send(admin, `/loans/${loan.id}/charge-off`, { reason: 'fraud' });
const payChargeOff: Step = async (loan, { officer }) => {
  const { charge_off_balance } = (await officer.get(`/loans/${loan.id}`)).body as Body;
  await send(officer, `/loans/${loan.id}/payments`, { amount: charge_off_balance });
};
/** Settles for about a third, paid at once. */
const settle: Step = async (loan, { officer, today }) => {
  const body = (await officer.get(`/loans/${loan.id}`)).body as Record<string, string>;
  const lost = body['charge_off_balance'] ?? '0.00';
  const owed = lost === '0.00' ? (body['total_balance'] ?? '0.00') : lost;
  const amount = `${wholeDollars(owed) / 3n}.00`;
  await send(officer, `/loans/${loan.id}/payment-plans`, {
    plan_type: 'settlement',
    settlement_amount: amount,
    waive_remaining: true,
    installments: [{ due_date: today, amount }],
    grace_days: 0,
  });
  await send(officer, `/loans/${loan.id}/payments`, { amount });
};
/** Sells the loan, which another servicer then services from the next day. */
const sell: Step = async ({ id, number }, { admin }) => {
  const investor = await send(admin, '/investors', {
    name: `Buyer ${number}`,
    investor_type: 'fund',
  });
  const portfolio = await send(admin, '/portfolios', { name: `Sale ${number}` });
  await send(admin, `/portfolios/${String(portfolio['id'])}/assign-loans`, { loan_ids: [id] });
  await send(admin, `/portfolios/${String(portfolio['id'])}/sell`, {
    investor_id: investor['id'],
    sale_price: '1000.00',
    servicing_retained: false,
  });
};
const draw =
  (amount: string): Step =>
  (loan, { officer }) =>
    send(officer, `/loans/${loan.id}/draws`, { amount });
const payLine =
  (amount: string): Step =>
  async (loan, { officer }) => {
    const { total_balance } = (await officer.get(`/loans/${loan.id}`)).body as Record<
      string,
      string
    >;
    if (wholeDollars(total_balance) < wholeDollars(amount)) return;
    await send(officer, `/loans/${loan.id}/payments`, { amount });
  };
const clearLine: Step = async (loan, { officer }) => {
  const { total_balance } = (await officer.get(`/loans/${loan.id}`)).body as Record<string, string>;
  if (total_balance === '0.00') return;
  await send(officer, `/loans/${loan.id}/payments`, { amount: total_balance });
};
const borrower =
  (changes: Body, whom: 'borrower_id' | 'other_id' = 'borrower_id'): Step =>
  (loan, { officer }) =>
    change(officer, `/borrowers/${loan[whom]}`, changes);
/** Opens a case about a person who owes the loan. */
const openCase =
  (
    case_type: string,
    factsOn: (today: string) => Body,
    whom: 'borrower_id' | 'other_id' = 'borrower_id',
  ): Step =>
  async (loan, { officer, today }) => {
    const facts = factsOn(today);
    const words = { subject: 'Case', description: 'A letter arrived.' };
    const made = await send(officer, '/cases', {
      borrower_id: loan[whom],
      case_type,
      facts,
      ...words,
    });
    loan.legal = { id: String(made['id']), facts };
  };
/** Adds facts to the loan's case. */
const addFacts =
  (factsOn: (today: string, loan: BookLoan) => Body): Step =>
  async (loan, { officer, today }) => {
    if (loan.legal === null) throw new Error(`${loan.story} has no case.`);
    loan.legal.facts = { ...loan.legal.facts, ...factsOn(today, loan) };
    await change(officer, `/cases/${loan.legal.id}`, { facts: loan.legal.facts });
  };
const petition = (chapter: string, whom?: 'other_id') =>
  openCase('bankruptcy', (petition_date) => ({ chapter, petition_date }), whom);
const discharged = addFacts((discharge_date) => ({ discharge_date }));
const dismissed = addFacts((dismissal_date) => ({ dismissal_date }));
const reaffirmed = addFacts((date, { id }) => ({
  discharge_date: date,
  reaffirmations: [{ loan_id: id, filed_date: date }],
}));
const release: Step = async (loan, { officer }) => {
  const [party] = (await officer.get(`/loans/${loan.id}/co-borrowers`)).body as Body[];
  await send(officer, `/co-borrowers/${String(party?.['id'])}/release`, {
    reason: 'lender_release',
  });
};
const dispute: Step = async (loan, { officer }) => {
  const made = await send(officer, `/loans/${loan.id}/credit-disputes`, { dispute_codes: ['106'] });
  loan.relief_id = String(made['id']);
};
const answerDispute: Step = (loan, { officer }) =>
  change(officer, `/credit-disputes/${loan.relief_id}`, {
    status: 'responded',
    response_code: '01',
  });
const forbear =
  (months: number): Step =>
  (loan, { officer, today }) =>
    send(officer, `/loans/${loan.id}/forbearances`, {
      start_date: today,
      end_date: addMonths(today, months),
      reason: 'Job loss',
      end_treatment: 'extend_term',
    });
const freeze: Step = (loan, { admin }) =>
  send(admin, `/loans/${loan.id}/freeze`, { reason: 'disaster' });
const unfreeze: Step = (loan, { admin }) => send(admin, `/loans/${loan.id}/unfreeze`);
const lowerRate: Step = (loan, { officer }) =>
  send(officer, `/loans/${loan.id}/modifications`, {
    modification_type: 'rate_change',
    new_interest_rate: '0.05',
    reason: 'hardship',
  });
const both =
  (...steps: Step[]): Step =>
  async (loan, scene) => {
    for (const step of steps) await step(loan, scene);
  };

/** Pays every month up to `last`, then misses installments until something else happens. */
const until = (last: number, month: number) => (month <= last ? pay() : null);

/** Every kind of account that the bureaus receive. `variant` shifts months, so that copies differ. */
export const STORIES: Record<string, Story> = {
  'on time': { on10: () => pay() },
  'late and cured': {
    on10: (month, variant) => {
      const missed = 1 + (variant % 6);
      if (month === 2 + missed) return pay(missed + 1);
      return month < 2 || month > 2 + missed ? pay() : null;
    },
  },
  'one installment behind': { on10: (month) => (month === 2 ? null : pay()) },
  'paid on the 20th': { on20: () => pay() },
  'every second month': { on10: (month) => (month % 2 === 0 ? pay(2) : null) },
  'never paid': {},
  'paid through maturity': { start: 'short', on10: (month) => atMonth(month, 6, payOff) },
  'unpaid at maturity': { start: 'short', on10: (month) => until(4, month) },
  'paid off early': { on10: (month, variant) => atMonth(month, 3 + (variant % 10), payOff) },
  'paid off late': {
    on10: (month, variant) => {
      const end = 3 + (variant % 5);
      return month === 1 ? pay() : month === end ? payOff : null;
    },
  },
  'charged off': { on10: (month, variant) => untilThen(month, 1, 6 + (variant % 3), chargeOff) },
  'charged off and settled': {
    on10: (month, variant) =>
      month === 7 + (variant % 4) ? settle : untilThen(month, 1, 5, chargeOff),
  },
  'charged off and paid': {
    on10: (month, variant) =>
      month === 7 + (variant % 6) ? payChargeOff : untilThen(month, 1, 5, chargeOff),
  },
  'charged off and partly paid': {
    on10: (month) => (month === 7 ? pay() : untilThen(month, 1, 6, chargeOff)),
  },
  settled: { on10: (month, variant) => untilThen(month, 2, 5 + (variant % 3), settle) },
  'sold while current': { on10: (month, variant) => atMonth(month, 3 + (variant % 5), sell) },
  'sold while late': { on10: (month, variant) => untilThen(month, 1, 4 + (variant % 3), sell) },
  'sold after the charge-off': {
    on10: (month) => (month === 7 ? sell : untilThen(month, 1, 5, chargeOff)),
  },
  'a line in use': {
    start: 'line',
    on10: (month) =>
      month % 3 === 0 ? both(payLine('300.00'), draw('100.00')) : payLine('300.00'),
  },
  'a line repaid': { start: 'line', on10: (month) => (month < 3 ? payLine('500.00') : clearLine) },
  'a late line': { start: 'line', on10: (month) => (month === 1 ? payLine('300.00') : null) },
  'joint and on time': { start: 'joint', on10: () => pay() },
  'joint, late, then one released': {
    start: 'joint',
    on10: (month) => (month === 4 ? release : until(2, month)),
  },
  'with a guarantor': { start: 'guarantor', on10: () => pay() },
  'died alone': {
    on10: (month) => (month === 4 ? borrower({ is_deceased: true }) : until(3, month)),
  },
  'one of two died': {
    start: 'joint',
    on10: (month, variant) =>
      month === 4
        ? both(borrower({ is_deceased: true }, variant % 2 ? 'borrower_id' : 'other_id'), pay())
        : pay(),
  },
  'chapter 13 while current': {
    on10: (month) => (month === 3 ? both(petition('13'), pay()) : pay()),
    on20: (month, variant) =>
      month === 6 + (variant % 10) ? (variant % 2 === 0 ? dismissed : discharged) : null,
  },
  'chapter 7 while late': {
    on10: (month) => (month === 4 ? petition('7') : month === 7 ? discharged : until(1, month)),
  },
  'chapter 7, reaffirmed': {
    on10: (month) => (month === 3 ? both(petition('7'), pay()) : pay()),
    on20: (month) => (month === 6 ? reaffirmed : null),
  },
  'a co-borrower in chapter 13': {
    start: 'joint',
    on10: (month) => (month === 3 ? both(petition('13', 'other_id'), pay()) : pay()),
  },
  'one of two died, the other went bankrupt': {
    start: 'joint',
    on10: (month) =>
      month === 3
        ? both(borrower({ is_deceased: true }), pay())
        : month === 5
          ? both(petition('7', 'other_id'), pay())
          : pay(),
  },
  'on active duty': {
    on10: (month) =>
      month === 3
        ? both(
            openCase('servicemember', (service_from) => ({ service_from })),
            pay(),
          )
        : month === 7
          ? both(
              addFacts((service_to) => ({ service_to })),
              pay(),
            )
          : pay(),
  },
  'identity theft, then released': {
    on10: (month) =>
      month === 3
        ? openCase('identity_theft', (report_received_date) => ({ report_received_date }))
        : month === 6
          ? both(
              addFacts((released_date) => ({ released_date })),
              pay(4),
            )
          : month < 3 || month > 6
            ? pay()
            : null,
  },
  'in a declared disaster': {
    on10: (month) =>
      month === 3
        ? openCase('disaster', (from) => ({ from }))
        : month === 5
          ? both(
              addFacts((to) => ({ to })),
              pay(3),
            )
          : month === 4
            ? null
            : pay(),
  },
  disputed: {
    on10: (month) =>
      month === 3 ? both(dispute, pay()) : month === 5 ? both(answerDispute, pay()) : pay(),
  },
  'in forbearance': {
    on10: (month) => (month === 3 ? forbear(2) : month > 3 && month <= 5 ? null : pay()),
  },
  'in a disaster': {
    on10: (month) => (month === 3 ? freeze : month === 5 ? unfreeze : month === 4 ? null : pay()),
  },
  'with a lower rate': {
    on10: (month) => (month === 4 ? both(pay(), lowerRate) : pay()),
  },
  'boarded and on time': { start: 'boarded', on10: () => pay() },
  'boarded late': { start: 'boarded_late', on10: (month) => (month === 3 ? pay(3) : null) },
  'boarded after the charge-off': {
    start: 'boarded_loss',
    on10: (month, variant) => (month === 4 && variant % 2 === 1 ? payChargeOff : null),
  },
  'a payment returned': {
    on10: (month) => (month % 4 === 0 ? pay(2) : pay()),
    on20: (month) => (month % 4 === 3 ? reverseLast : null),
  },
  'paid off, then returned': {
    on10: (month) => (month === 4 ? payOff : month === 5 ? null : pay()),
    on20: (month) => (month === 5 ? reverseLast : null),
  },
  'a mortgage': { start: 'mortgage', on10: () => pay() },
  'every two weeks': {
    start: 'biweekly',
    on10: () => pay(2),
    on20: (month) => (month % 6 === 0 ? pay() : null),
  },
};

const atMonth = (month: number, when: number, step: Step): Step | null =>
  month === when ? step : month < when ? pay() : null;

/** Pays up to `last`, misses the rest, and takes the step in its month. */
const untilThen = (month: number, last: number, when: number, step: Step): Step | null =>
  month === when ? step : month < when ? until(last, month) : null;

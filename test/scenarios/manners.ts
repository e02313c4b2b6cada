import { covered, dailyStanding, knownFacts, plannedStanding, text, type Fact } from './by-hand.ts';
import { START } from './kinds.ts';
import type { Lent, Month } from './month-by-hand.ts';

export type Deed = { on: string; run: () => Promise<unknown> };

/** Expects the request to succeed. */
export async function done(answer: Promise<{ status: number; body: unknown }>) {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(JSON.stringify(body));
  return body as Record<string, never> & { id: string };
}

const MANNERS = [
  'punctual',
  'late',
  'in halves',
  'extra',
  'returned',
  'returned after the sale',
  'returned next month',
  'found next month',
  'paid off',
  'charged off',
  'collateral sold',
  'charged a fee',
  'silent',
] as const;

/**
 * Borrower behaviors and loan kinds have different cycle lengths, so that every behavior meets every kind.
 */
export function mannerOf({ number, kind, isPlanned }: Lent): string {
  const manner = MANNERS[number % MANNERS.length] ?? 'punctual';
  const isCharged = kind === 'with late fees';
  if (manner === 'collateral sold' && (isPlanned || isCharged)) return 'late';
  // The test's arithmetic for scheduled interest covers installments and extra payments, but no fees.
  if (isPlanned && ['paid off', 'charged a fee'].includes(manner)) return 'extra';
  // Late fees for a payment that is returned after its month are not covered here.
  if (manner === 'returned next month' && isCharged) return 'punctual';
  return manner;
}

/** The borrower's and the lender's actions on one loan from November on. */
export function deedsOf(month: Month, loan: Lent): Deed[] {
  const { tenant, admin } = month;
  const path = `/loans/${loan.id}`;
  const [first, ...others] = loan.rows.filter(({ due }) => due <= '2027-12-03');
  if (!first) throw new Error(`Loan ${loan.number} asks for nothing in the month.`);
  const manner = mannerOf(loan);
  const pay = (on: string, amount: bigint, date = on): Deed => ({
    on,
    run: () => paid(month, loan, { amount, on, date }),
  });
  const back = (paying: Deed, on: string): Deed => ({
    on,
    run: () => goesBack(month, loan, paying.on, on),
  });
  const later = others.map(({ due, payment }) => pay(due, payment));
  const due = pay(first.due, first.payment);
  const night = lateFees(month, loan);
  const ways: Record<string, () => Deed[]> = {
    punctual: () => [due, ...later],
    late: () => [pay('2027-11-28', first.payment), ...later],
    'in halves': () => {
      const half = first.payment / 2n;
      return [pay(first.due, half), pay('2027-11-29', first.payment - half), ...later];
    },
    extra: () => [pay(first.due, first.payment + 10_000n), ...later],
    returned: () => [due, back(due, '2027-11-19'), pay('2027-11-28', first.payment), ...later],
    'returned after the sale': () => {
      const early = pay('2027-11-05', first.payment);
      return [early, back(early, '2027-11-24'), ...later];
    },
    'returned next month': () => [due, back(due, '2027-12-02'), ...later],
    'found next month': () => [pay('2027-12-02', first.payment, '2027-11-29'), ...later],
    'paid off': () => [pay('2027-11-18', 10_000_000_00n)],
    'charged off': () => [
      {
        on: '2027-11-25',
        run: async () => {
          await done(admin.post(`${path}/charge-off`, { reason: 'bankruptcy' }));
          loan.chargedOffOn = '2027-11-25';
        },
      },
      pay('2027-11-29', 5_000n),
    ],
    'collateral sold': () => [{ on: '2027-11-22', run: () => sellCar(month, loan) }],
    'charged a fee': () => [
      {
        on: '2027-11-12',
        run: async () => {
          const fee = { fee_type: 'nsf', amount: '35.00' };
          await done(tenant.officer.post(`${path}/fees`, fee));
          loan.facts.push({ kind: 'fee', date: '2027-11-12', cents: 3_500n, known: '2027-11-12' });
        },
      },
      due,
      ...later,
    ],
    silent: () => [],
  };
  return [...(ways[manner]?.() ?? []), ...night];
}

/** The rule charges the late fee on the eleventh night. Every second fee is waived the next day. */
function lateFees({ tenant }: Month, loan: Lent): Deed[] {
  const [row] = loan.rows;
  if (loan.kind !== 'with late fees' || !row) return [];
  const assess = async () => {
    const facts = knownFacts(loan.facts, '2027-11-25', '2027-11-26');
    if (loan.chargedOffOn || (covered(facts, loan.rows)[0] ?? 0n) >= row.payment) return;
    if (dailyStanding(facts, loan.pace, '2027-11-26').principal === 0n) return;
    loan.facts.push({ kind: 'fee', date: '2027-11-26', cents: 2_500n, known: '2027-11-26' });
    if (loan.number % 2 === 0) return;
    const fees = (await tenant.officer.get(`/loans/${loan.id}/fees`)).body as { id: string }[];
    await done(tenant.officer.post(`/fees/${fees[0]?.id}/waive`, { reason: 'First time' }));
    loan.facts.push({ kind: 'waive', date: '2027-11-27', cents: 2_500n, known: '2027-11-27' });
  };
  return [{ on: '2027-11-27', run: assess }];
}

type Paying = { amount: bigint; on: string; date: string };
const PAID = new WeakMap<Lent, Map<string, { id: string; fact: Fact }>>();

async function paid({ tenant }: Month, loan: Lent, { amount, on, date }: Paying) {
  const facts = knownFacts(loan.facts, date, on);
  const { pace, rows, isPlanned } = loan;
  const { millionths } = pace;
  const owed = isPlanned
    ? plannedStanding(facts, rows, { start: START, asOf: date, millionths })
    : dailyStanding(facts, pace, date);
  const all = owed.principal + owed.interest + owed.fees;
  const least = all < amount ? all : amount;
  if (least === 0n) return;
  const body = { amount: text(least), effective_date: date, payment_method: 'check' };
  const { id } = await done(tenant.officer.post(`/loans/${loan.id}/payments`, body));
  const fact: Fact = { kind: 'pay', date, cents: least, known: on };
  loan.facts.push(fact);
  const kept = PAID.get(loan) ?? new Map();
  PAID.set(loan, kept.set(on, { id, fact }));
}

async function goesBack({ tenant }: Month, loan: Lent, paidOn: string, on: string) {
  const kept = PAID.get(loan)?.get(paidOn);
  if (!kept) return;
  await done(tenant.officer.post(`/payments/${kept.id}/reverse`, { reason: 'nsf' }));
  kept.fact.undone = on;
}

/** The car brings less than the balance. */
async function sellCar({ admin }: Month, loan: Lent) {
  const [funded] = loan.facts;
  const brought = ((funded?.cents ?? 0n) * 6n) / 10n;
  const car = { loan_id: loan.id, collateral_type: 'vehicle', estimated_value: '9000.00' };
  const { id } = await done(admin.post('/collateral', car));
  await done(admin.post(`/collateral/${id}/liquidate`, { sale_price: text(brought) }));
  loan.facts.push({ kind: 'sell', date: '2027-11-22', cents: brought, known: '2027-11-22' });
}

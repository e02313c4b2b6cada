import { expect, test } from 'vitest';
import { addDays } from '../../jobs/dates.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';
import { INSTALLMENT, newLegalStory, owedOn } from './legal-story.ts';
import { figuresOf } from './statement-text.ts';

/** A borrower with autopay files under chapter 13, pays by a plan through the trustee, and is discharged. */

const stage = await newStage();
const PETITION = { chapter: '13', petition_date: '2026-04-10', court: 'D. Vt.' };
const CONFIRMED = {
  ...PETITION,
  plan_confirmation_date: '2026-05-28',
  proof_of_claim_filed_date: '2026-05-29',
};
const DISCHARGED = { ...CONFIRMED, discharge_date: '2026-09-15', closing_date: '2026-09-15' };

/** Autopay draws on the first banking day from the 15th on. The trustee pays what the plan says. */
const DRAWN = { '2026-02-17': INSTALLMENT, '2026-03-16': INSTALLMENT };
const BY_TRUSTEE = ['2026-06-10', '2026-07-10', '2026-08-10'];
const PAID = { ...DRAWN, ...Object.fromEntries(BY_TRUSTEE.map((day) => [day, '350.00'])) };

test('a bankruptcy under chapter 13 stops draws, late fees and reminders, and its discharge keeps them stopped', async () => {
  const story = await newLegalStory(stage);
  const { id, borrower_id, officer, read, rows } = story;
  const plan = await story.enroll(borrower_id);
  for (const day of Object.keys(DRAWN)) {
    await story.travel(addDays(day, 1));
    await story.sendOrders();
  }
  await story.travel('2026-04-13');

  const petition = await story.open(borrower_id, 'bankruptcy', PETITION);
  await story.travel('2026-05-29');
  const asked = await story.tryMessages(borrower_id);
  await story.correct(petition.id, CONFIRMED);
  for (const day of BY_TRUSTEE) {
    await story.travel(day);
    await story.pay('350.00', { payment_method: 'check', notes: 'From the trustee' });
  }
  await story.travel('2026-09-15');
  const accelerated = await story.superadmin.post(`/loans/${id}/accelerate`, {});
  await story.correct(petition.id, DISCHARGED);
  await story.travel('2026-10-22');
  const afterwards = await story.tryMessages(borrower_id);
  const closed = await officer.put(`/cases/${petition.id}`, {
    status: 'closed',
    resolution: 'Discharged.',
  });

  const draws = await rows(`/autopay-plans/${plan}/draws?ordering=due_date`);
  expect(draws.map(({ due_date, status, reason }) => [due_date, status, reason])).toEqual([
    ['2026-02-15', 'drawn', null],
    ['2026-03-15', 'drawn', null],
    ...['04', '05', '06', '07', '08', '09', '10'].map((month) => [
      `2026-${month}-15`,
      'skipped',
      'legal_condition',
    ]),
  ]);
  expect(await rows(`/loans/${id}/fees?fee_type=late`)).toEqual([]);
  expect(await read(`/loans/${id}/get-balances`)).toMatchObject(owedOn('2026-10-22', PAID));
  expect(accelerated).toMatchObject({ status: 409, body: { code: 'legal_condition' } });
  for (const tried of [asked, afterwards])
    expect(tried).toEqual({
      past_due_notice: ['bankruptcy'],
      late_fee_notice: ['bankruptcy'],
      payment_reminder: ['bankruptcy'],
      payoff_letter: [],
    });
  expect(closed.status, JSON.stringify(closed.body)).toBe(200);
  expect(await read(`/borrowers/${borrower_id}`)).toMatchObject({
    bankruptcy_status: 'chapter_13_discharged',
  });
  expect(await violationsIn(stage)).toEqual([]);
}, 600_000);

test('the credit record shows the petition from its month on, and the discharge once with zero amounts', async () => {
  const story = await newLegalStory(stage);
  const { borrower_id } = story;
  await story.travel('2026-04-13');
  const petition = await story.open(borrower_id, 'bankruptcy', PETITION);
  await story.travel('2026-06-10');
  await story.pay('350.00');
  await story.travel('2026-06-15');
  await story.correct(petition.id, { ...CONFIRMED, discharge_date: '2026-06-12' });
  await story.travel('2026-09-01');

  const reports = (await story.reports()).map((record) => [
    String(record['reporting_period']).slice(0, 7),
    record['consumer_information_indicator'],
    record['current_balance'],
    record['amount_past_due'],
    record['scheduled_monthly_payment'],
    record['suppression_reason'],
  ]);
  // In whole dollars: principal, interest to the end of the month, and two late fees from before the petition.
  const balanceOn = (day: string) => Number(owedOn(day, {}).total_balance.split('.')[0]);
  expect(reports.slice(2)).toEqual([
    ['2026-03', null, balanceOn('2026-04-01') + 50, 564, 564, null],
    ['2026-04', 'D', balanceOn('2026-05-01') + 50, 1129, 564, null],
    ['2026-05', 'D', balanceOn('2026-06-01') + 50, 1694, 564, null],
    ['2026-06', 'H', 0, 0, 0, null],
    ['2026-07', 'H', 0, 0, 0, 'reported_discharged'],
    ['2026-08', 'H', 0, 0, 0, 'reported_discharged'],
  ]);
}, 600_000);

/** The amounts of a printed statement by their labels, and its text without markup. */
function readStatement(html = '') {
  const text = html.replaceAll(/<(style|head)[\s\S]*?<\/\1>/g, ' ').replaceAll(/<[^>]+>/g, ' ');
  return { amounts: figuresOf(html), text: text.replaceAll(/\s+/g, ' ') };
}

test('statements during the plan ask for payments since the petition, show the arrears, and demand nothing', async () => {
  const story = await newLegalStory(stage);
  const { borrower_id } = story;
  await story.travel('2026-04-01');
  const { pages: before } = await story.deliver();
  await story.travel('2026-04-13');
  await story.open(borrower_id, 'bankruptcy', PETITION);
  await story.travel('2026-05-10');
  await story.pay('350.00');
  await story.travel('2026-06-02');
  const { pages, mails } = await story.deliver();
  const [march, april, may] = [before.at(-1), ...pages].map(readStatement);

  expect(march?.text).toContain('Please pay it now');
  expect(march?.amounts).toMatchObject({ 'Amount due': '$1,744.64', 'Past due': '$1,129.76' });
  for (const statement of [april, may]) {
    expect(statement?.text).toContain('you are a debtor in bankruptcy');
    expect(statement?.text).toContain('for information only');
    expect(statement?.text).toContain('send them to the trustee');
    expect(statement?.text).not.toMatch(/past due|pay it now|late fee|credit bureau|Amount due/);
  }
  // Before the petition: the installments of February and March and two late fees. The one of April came after it.
  expect(april?.amounts).toMatchObject({
    'Regular payment': '$564.88',
    'Past unpaid amount': '$564.88',
    // By the contract: 10,647.17 × 0.12 × 30 / 365, after the installments of 31, 28 and 31 days.
    'Principal portion': '$459.87',
    'Interest portion': '$105.01',
    'Unpaid fees': '$0.00',
    'Payment amount': '$1,129.76',
    'Paid since case began': '$0.00',
    'Still unpaid': '$1,179.76',
  });
  // 50.00 of the payment paid the fees, and all of it counts for the oldest installment.
  expect(may?.amounts).toMatchObject({
    'Payment amount': '$1,694.64',
    'Paid since last statement': '$350.00',
    'Paid since case began': '$350.00',
    'Still unpaid': '$779.76',
  });
  expect(april?.text).not.toContain('have not received all');
  expect(may?.text).toContain('have not received all');
  expect(mails).toHaveLength(2);
  for (const { html } of mails) {
    expect(html).toContain('for information only');
    expect(html).not.toMatch(/amount due|564\.88|or to pay/);
  }
}, 600_000);

test('a discharge, a dismissal and a tenant that decides otherwise change the form of statements', async () => {
  const story = await newLegalStory(stage);
  const { borrower_id, superadmin } = story;
  const [chapter, petition_date] = ['7', '2026-02-20'];
  await story.travel('2026-02-24');
  const petition = await story.open(borrower_id, 'bankruptcy', { chapter, petition_date });
  const months: Record<string, string> = {};
  const printed = async (name: string, day: string) => {
    await story.travel(day);
    months[name] = readStatement((await story.deliver()).pages.at(-1)).text;
  };
  await printed('stay', '2026-03-02');
  await story.travel('2026-03-20');
  await story.correct(petition.id, { chapter, petition_date, discharge_date: '2026-03-20' });
  await printed('discharge', '2026-04-02');
  const effects = { discharged_7: { statement: 'regular' } };
  const saved = await superadmin.put('/tenant/settings', { cases: { effects } });
  await printed('decided otherwise', '2026-05-02');
  await story.correct(petition.id, { chapter, petition_date, dismissal_date: '2026-03-20' });
  await printed('dismissal', '2026-06-02');

  expect(saved.status, JSON.stringify(saved.body)).toBe(200);
  expect(months['stay']).toContain('you are a debtor in bankruptcy');
  expect(months['stay']).not.toContain('before the bankruptcy case');
  expect(months['discharge']).toContain('you discharged personal liability');
  expect(months['decided otherwise']).not.toMatch(/bankruptcy/i);
  expect(months['dismissal']).not.toMatch(/bankruptcy/i);
  expect(months['dismissal']).toContain('Please pay it now');
}, 600_000);

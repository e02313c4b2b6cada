import { expect, test } from 'vitest';
import { renderEmail } from '../../templates/email.ts';
import { defaultMessages, TEMPLATE_TYPES, type TemplateType } from '../../templates/messages.ts';
import { findUnexpectedWords, collapseWhitespace, type Language } from '../setup/pdf-printer.ts';
import { newOutside } from '../setup/outside.ts';
import { runJobs, travelTo } from '../setup/queue.ts';
import { newDocumentReader, type DocumentReader } from '../setup/document-readers.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const LANGUAGES: readonly Language[] = ['en', 'es'];

/** A late loan with a partial payment, a fee, a quote and a promise to pay, as the API shows it. */
async function lateLoan(language: Language) {
  const wish = { cents: 1_234_567, basis_points: 899, term_months: 24 };
  const reader = await newDocumentReader(stage, language, {
    ...wish,
    paid_percent: 0,
    fee_cents: 0,
  });
  const { tenant, path, done, ask } = reader;
  await done(`${path}/disburse`);
  await travelTo(stage, tenant, '2026-02-20');
  const payment = await done(`${path}/payments`, { amount: '100.00' });
  const fee = await done(`${path}/fees`, { fee_type: 'late', amount: '25.50' });
  const quote = await done(`${path}/payoff-quotes`);
  const promise = await done(`${path}/promises-to-pay`, {
    promised_amount: '1312.34',
    promised_date: '2026-02-27',
  });
  return { ...reader, payment, fee, quote, promise, owed: await ask(path) };
}
type Facts = Awaited<ReturnType<typeof lateLoan>>;

type Told = { context?: object; says: readonly string[] };
const TERM = { start_date: '2026-03-01', end_date: '2026-05-31', payment_amount: '123.45' };
const CHANGED = {
  effective_date: '2026-03-15',
  payment_amount: '234.56',
  rate: '0.0525',
  maturity_date: '2028-03-15',
};
const PLAN = {
  old_payment_amount: '564.32',
  payment_amount: '571.09',
  first_date: '2026-03-15',
  last_date: '2028-01-15',
  last_payment_amount: '570.88',
};
const DRAW = { amount: '564.32', date: '2026-03-15', account_last_four: '6789' };
const AMOUNT = { amount: '12345.67', date: '2026-02-20' };
const MOVE = {
  effective_date: '2026-04-01',
  last_payment_date: '2026-03-31',
  first_payment_date: '2026-04-02',
  servicer_name: 'Harbor',
  servicer_address: '400 Harbor Street, Portland, ME 04101',
  servicer_phone: '800-555-0142',
  own_address: '9 Calle Vieja, Austin, TX 78701',
};
const LINK = { url: 'https://lender.example/reset', expires_at: '2026-02-21' };
const CASE = { number: 'HS-17', subject: 'x', type: 'x', date: '2026-02-20' };

const paidOf = ({ payment, money, day }: Facts): Told => ({
  context: {
    payment: {
      amount: payment.amount,
      date: payment.effective_date,
      principal: payment.principal_applied,
      interest: payment.interest_applied,
      fees: payment.fees_applied,
    },
  },
  says: [money(payment.amount), day(payment.effective_date)],
});
const promiseOf = ({ promise, money, day }: Facts): Told => ({
  context: { promise: { amount: promise.promised_amount, date: promise.promised_date } },
  says: [money(promise.promised_amount), day(promise.promised_date)],
});
const movesOn = (day: Facts['day']): Told => ({
  context: { transfer: MOVE, is_mortgage: true },
  says: [
    ...[MOVE.effective_date, MOVE.last_payment_date, MOVE.first_payment_date].map(day),
    MOVE.servicer_name,
    MOVE.servicer_address,
    MOVE.servicer_phone,
    MOVE.own_address,
  ],
});
const spoken = (...says: string[]): Told => ({ says });

/**
 * What each template type says by email and by letter. A new type does not compile until it is listed here.
 */
const KINDS: Record<Exclude<TemplateType, 'custom'>, (facts: Facts) => Told> = {
  payment_reminder: ({ owed, money, day }) =>
    spoken(money(owed.amount_due), day(owed.next_payment_date)),
  payment_received: (facts) => {
    const { payment, owed, money } = facts;
    const { context = {}, says } = paidOf(facts);
    const parts = [payment.principal_applied, payment.interest_applied, payment.fees_applied];
    return { context, says: [...says, ...[...parts, owed.principal_balance].map(money)] };
  },
  payment_failed: paidOf,
  payment_reversed: (facts) => {
    const { context = {}, says } = paidOf(facts);
    return { context, says: [...says, facts.money(facts.owed.principal_balance)] };
  },
  past_due_notice: ({ owed, money, words }) => {
    const late = words(
      `Days past due: ${owed.days_past_due}`,
      `Días de atraso: ${owed.days_past_due}`,
    );
    return spoken(money(owed.past_due_amount), late);
  },
  late_fee_notice: ({ fee, money, day }) => ({
    context: { fee: { amount: fee.amount, date: fee.assessed_date, type: fee.fee_type } },
    says: [money(fee.amount), day(fee.assessed_date)],
  }),
  autopay_enrolled: ({ money, day }) => ({
    context: { autopay: DRAW },
    says: [money(DRAW.amount), day(DRAW.date), DRAW.account_last_four],
  }),
  autopay_canceled: () => spoken(),
  loan_approved: ({ owed, money, rate }) =>
    spoken(money(owed.principal_amount), rate(owed.interest_rate)),
  loan_denied: () => spoken(),
  loan_disbursed: ({ owed, money, day }) => ({
    context: { disbursement: AMOUNT },
    says: [money(AMOUNT.amount), day(AMOUNT.date), money(owed.amount_due)],
  }),
  statement_ready: ({ owed, money, day }) => ({
    context: {
      statement: { period_start: '2026-01-15', period_end: '2026-01-31', new_balance: '9.99' },
    },
    says: [day('2026-01-15'), day('2026-01-31'), '$9.99', money(owed.amount_due)],
  }),
  payoff_letter: ({ quote, money, day }) => {
    const { payoff_amount_good_through: amount, good_through_date: last, per_diem } = quote;
    const context = { payoff: { amount, good_through: last, per_diem } };
    return { context, says: [money(amount), day(last), money(per_diem)] };
  },
  charge_off_notice: ({ money, day }) => ({
    context: { charge_off: AMOUNT },
    says: [money(AMOUNT.amount), day(AMOUNT.date)],
  }),
  modification_confirmation: ({ money, rate, day }) => ({
    context: { modification: CHANGED },
    says: [
      ...[CHANGED.effective_date, CHANGED.maturity_date].map(day),
      money(CHANGED.payment_amount),
      rate(CHANGED.rate),
    ],
  }),
  schedule_changed: ({ money, day }) => ({
    context: { schedule: PLAN, was_taken_back: true },
    says: [
      ...[PLAN.old_payment_amount, PLAN.payment_amount, PLAN.last_payment_amount].map(money),
      ...[PLAN.first_date, PLAN.last_date].map(day),
    ],
  }),
  application_notice: () => spoken(),
  forbearance_confirmation: ({ money, day }) => ({
    context: { forbearance: TERM },
    says: [day(TERM.start_date), day(TERM.end_date), money(TERM.payment_amount)],
  }),
  hardship_received: () => ({ context: { hardship: CASE }, says: [CASE.number] }),
  hardship_decided: () => ({
    context: { hardship: CASE, was_approved: true },
    says: [CASE.number],
  }),
  goodbye_letter: ({ day }) => movesOn(day),
  hello_letter: ({ day }) => movesOn(day),
  payment_misdirected: ({ money, day }) => ({
    context: { transfer: MOVE, payment: AMOUNT },
    says: [
      MOVE.servicer_name,
      MOVE.servicer_address,
      MOVE.servicer_phone,
      money(AMOUNT.amount),
      day(AMOUNT.date),
      day(MOVE.effective_date),
    ],
  }),
  case_answered: () => ({ context: { case: CASE }, says: [CASE.number] }),
  promise_reminder: promiseOf,
  broken_promise: promiseOf,
  welcome: () => spoken(),
  password_reset: ({ day }) => ({ context: { link: LINK }, says: [day(LINK.expires_at)] }),
};

/** The text of an email with its frame, without tags. */
const asMail = (
  { slug }: DocumentReader['tenant'],
  language: Language,
  subject: string,
  body: string,
) => {
  const tenant = { name: slug, branding: {}, address_lines: ['9 Calle Vieja'] };
  const html = renderEmail({ language, subject, body, tenant, unsubscribe_url: 'https://x.test' });
  const [, inside = ''] = html.split('<body');
  return collapseWhitespace(
    inside
      .replaceAll(/<\/?(?:a|strong)\b[^>]{0,400}>/g, '')
      .replaceAll(/<[^>]{0,400}>|^[^>]{0,400}>/g, ' ')
      .replaceAll(/&[a-z#0-9]{2,6};/g, '’'),
  );
};

test('every message type is covered by this test', () => {
  expect([...Object.keys(KINDS), 'custom'].toSorted()).toEqual([...TEMPLATE_TYPES].toSorted());
});

for (const language of LANGUAGES)
  test(`every message in ${language} shows the figures of the API for its day, on each channel`, async () => {
    const facts = await lateLoan(language);
    const about = { borrower_id: facts.borrower_id, loan_id: facts.id };
    for (const { template_type, channel } of defaultMessages().filter(
      (message) => message.language === language,
    )) {
      if (template_type === 'custom') continue;
      const { context = {}, says } = KINDS[template_type](facts);
      const { subject, body } = await facts.done('/communications/preview', {
        ...about,
        template_type,
        channel,
        context,
      });
      const text =
        channel === 'sms'
          ? collapseWhitespace(body)
          : asMail(facts.tenant, language, subject, body);
      const kind = `${template_type} by ${channel}`;
      expect(findUnexpectedWords(`${subject ?? ''} ${text}`, language), kind).toEqual([]);
      if (channel === 'sms') expect(text.length, kind).toBeLessThan(161 * 2);
      else for (const words of says) expect(text, kind).toContain(words);
      for (const figure of text.match(/\$[\d,]+\.\d\d/g) ?? [])
        expect(says.join(' '), `${kind}: ${figure}`).toContain(figure);
    }
  });

test('a message to many borrowers writes dates in the language of its text', async () => {
  const { done, borrower_id, tenant } = await lateLoan('es');
  const outside = newOutside(stage.pool);
  await done(`/borrowers/${borrower_id}/emails`, { email: 'maria@example.com' });

  await done('/communications/send-batch', {
    borrower_ids: [borrower_id],
    template_type: 'payment_reminder',
    channel: 'email',
  });
  await runJobs(stage, outside, ['send-communication']);

  const [mail] = outside.mailbox;
  expect(mail?.to.name, tenant.slug).toContain('Fernández-Güemes');
  expect(mail?.subject).toMatch(/vence el 15 de (febrero|marzo) de 2026$/);
});

import { expect, test } from 'vitest';
import { accrueChunk } from '../../jobs/business-day/close-loans.job.ts';
import { sendCommunication } from '../../jobs/communications/send.job.ts';
import { addDays } from '../../jobs/dates.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { nothingOutside } from '../faults/nothing-outside.ts';
import { newLoan } from '../setup/loans.ts';
import { closeThrough } from '../setup/queue.ts';
import { attemptDelivery, newSubscriber } from '../setup/subscriber.ts';
import { tapeLine, tapeText } from '../setup/boarding-tapes.ts';
import { importTape } from '../setup/imports.ts';
import { countQueries, type QueryCounts } from '../setup/count-queries.ts';
import { newStage, PASSWORD } from '../setup/world.ts';

/**
 * How many statements each act sends once they are prepared, and how often it waits for an answer. These
 * figures are the same on every machine. They may fall but never rise.
 */
const TABLE: Record<string, QueryCounts> = {
  'a loan is read': { statements: 5, trips: 2 },
  'loans are listed and counted': { statements: 6, trips: 2 },
  'payments of a loan are listed': { statements: 7, trips: 3 },
  'a payment is received': { statements: 12, trips: 4 },
  'a payment is refused (422)': { statements: 1, trips: 1 },
  'an action is refused (409)': { statements: 6, trips: 3 },
  'a record is not there (404)': { statements: 5, trips: 2 },
  'a role may not (403)': { statements: 5, trips: 2 },
  'a user signs in': { statements: 28, trips: 9 },
  'a webhook is delivered': { statements: 8, trips: 2 },
  'a mail is sent': { statements: 10, trips: 5 },
  'forty loans are imported': { statements: 103, trips: 91 },
  'a day with nothing due is closed': { statements: 36, trips: 21 },
  'interest that is posted is asked for once more': { statements: 4, trips: 2 },
};

const stage = await newStage();

test('the number of statements and round trips of an operation may fall but never rise', async () => {
  const { tenant, officer, acts } = await everyAct();
  const found: Record<string, QueryCounts> = {};

  for (const [name, act] of Object.entries(acts)) {
    await act();
    // A session's last write is recorded only once in a while. This keeps it out of the measured acts.
    await stage.owner.query('update sessions set last_write_at = now()');
    found[name] = await countQueries(act);
  }

  if (process.env['PRINT']) console.log(asMarkdown(found));
  expect(found).toEqual(TABLE);
  expect((await officer.get('/users/me')).body.email).toContain(tenant.slug);
});

async function everyAct() {
  const { tenant, outside, emitPayment, relayed } = await newSubscriber(stage);
  const { officer, id: tenant_id } = tenant;
  const { id, borrower_id } = await newLoan(tenant);
  const admin = await tenant.signedIn('admin');
  await officer.post(`/borrowers/${borrower_id}/emails`, { email: 'grace@example.com' });
  const deliveries = [await happened(), await happened()];
  const mails = [await ordered('payment_reminder'), await ordered('welcome')];
  const day = { today: '2026-01-15' };
  let boarded = 0;

  async function happened() {
    await emitPayment();
    return (await relayed()).id;
  }
  async function ordered(template_type: string) {
    const template = await admin.post('/communication-templates', {
      name: template_type,
      template_type,
      channel: 'email',
      subject: 'Loan {{ loan.number }}',
      body: '<p>{{ borrower.name }}</p>',
    });
    const message = { template_id: template.body.id, borrower_id, loan_id: id };
    return (await officer.post('/communications/send', message)).body.id as string;
  }
  const answers = async (asked: Promise<{ status: number }>, status: number) =>
    expect((await asked).status).toBe(status);

  const acts: Record<keyof typeof TABLE, () => Promise<unknown>> = {
    'a loan is read': () => answers(officer.get(`/loans/${id}`), 200),
    'loans are listed and counted': () => answers(officer.get('/loans?limit=1'), 200),
    'payments of a loan are listed': () => answers(officer.get(`/loans/${id}/payments`), 200),
    'a payment is received': () =>
      answers(officer.post(`/loans/${id}/payments`, { amount: '5.00' }), 201),
    'a payment is refused (422)': () =>
      answers(officer.post(`/loans/${id}/payments`, { amount: '-5.00' }), 422),
    'an action is refused (409)': () => answers(officer.post(`/loans/${id}/approve`), 409),
    'a record is not there (404)': () => answers(officer.get(`/loans/${tenant_id}`), 404),
    'a role may not (403)': () => answers(officer.get('/users'), 403),
    'a user signs in': () =>
      answers(tenant.anonymous().login(`viewer@${tenant.slug}.test`, PASSWORD), 200),
    'a webhook is delivered': () => attemptDelivery(tenant, outside, deliveries.shift() ?? ''),
    'a mail is sent': () =>
      sendCommunication.run({ tenant_id, log_id: mails.shift() ?? '', attempt: 1 }, outside),
    'forty loans are imported': async () => {
      const lines = Array.from({ length: 40 }, () => {
        boarded += 1;
        return tapeLine({ loan_number: `T-${boarded}`, borrower_external_id: `B-${boarded}` });
      });
      await importTape(tenant, tapeText(...lines));
    },
    'a day with nothing due is closed': async () => {
      await closeThrough(stage, tenant, day.today);
      day.today = addDays(day.today, 1);
    },
    'interest that is posted is asked for once more': async () => {
      const latest = 'select id from cob_runs where tenant_id = $1 order by cob_date desc limit 1';
      const { rows } = await stage.owner.query<{ id: string }>(latest, [tenant_id]);
      // As if another process had moved the business date without this process knowing.
      const moved = 'update tenants set business_date = business_date + 1 where id = $1';
      await stage.owner.query(moved, [tenant_id]);
      const lent = { ...nothingOutside, within: createWithin(stage.pool, SYSTEM) };
      await accrueChunk(lent, { tenant_id, run_id: rows[0]?.id ?? '', chunk: 1 });
    },
  };
  return { tenant, officer, acts };
}

const asMarkdown = (found: Record<string, QueryCounts>) =>
  [
    '| What is done | Statements | Round trips |',
    '| --- | ---: | ---: |',
    ...Object.entries(found).map(
      ([name, { statements, trips }]) => `| ${name} | ${statements} | ${trips} |`,
    ),
  ].join('\n');

import { expect, test } from 'vitest';
import { sendCommunication } from '../../jobs/communications/send.job.ts';
import { newJointLoan, newBorrower } from '../setup/joint-loans.ts';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { assertOk } from '../setup/portal.ts';
import { saveSettings } from '../setup/settings.ts';
import { openCase } from '../setup/cases.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const PHONE = '+12025550123';

const shared = await stage.tenant();
const ATTORNEY = { representative_type: 'attorney', first_name: 'Al', last_name: 'Counsel' };
const EXPIRED = {
  consent_type: 'email',
  granted_at: '2026-01-01T00:00:00Z',
  expires_at: '2026-01-02T00:00:00Z',
};

/**
 * A borrower who can be reached by text, email and letter, and a function that lists the blockers of a
 * contact.
 */
async function reachable(tenant = shared) {
  const { officer } = tenant;
  const { borrower_id, id: loan_id } = await newLoan(tenant, { status: 'pending' });
  const path = `/borrowers/${borrower_id}`;
  const phone = await officer.post(`${path}/phones`, { phone_number: PHONE });
  await officer.post(`${path}/emails`, { email: 'grace@example.com' });
  await officer.post(`${path}/addresses`, {
    street_line_1: '1 Main Street',
    city: 'Arlington',
    state: 'VA',
    postal_code: '22201',
  });
  const reasons = async (channel: string, more: object = {}) => {
    const asked = { borrower_id, channel, ...more };
    const { body } = await officer.post('/communications/can-interact', asked);
    return body.reasons as string[];
  };
  const send = (channel: string, template_type: string) =>
    officer.post('/communications/send', { borrower_id, loan_id, channel, template_type });
  const rep = (said: object) =>
    officer.post(`${path}/legal-reps`, { first_name: 'Al', last_name: 'Counsel', ...said });
  return { tenant, officer, borrower_id, loan_id, path, phone, reasons, send, rep };
}

test('a borrower with an attorney gets only letters that the law requires', async () => {
  const { officer, reasons, send, rep } = await reachable();
  const { id } = (await rep({ representative_type: 'attorney' })).body;

  const [mail, letter] = [await reasons('email'), await reasons('letter')];
  const notice = await send('email', 'statement_ready');
  const reminder = await send('email', 'payment_reminder');
  await officer.put(`/legal-reps/${id}`, { is_active: false });
  const over = await reasons('email');

  expect([mail, letter]).toEqual([['represented_by_attorney'], ['represented_by_attorney']]);
  expect(notice).toMatchObject({ status: 201, body: { channel: 'letter' } });
  expect(reminder.body.reasons).toEqual(['represented_by_attorney']);
  expect(over).toEqual([]);
});

test.each([
  ['whose time has not begun', { representative_type: 'attorney', effective_date: '2026-01-16' }],
  [
    'whose time is over',
    { representative_type: 'attorney', effective_date: '2026-01-01', end_date: '2026-01-14' },
  ],
  ['who only advises', { representative_type: 'guardian' }],
])('a representative %s does not block contacting the borrower', async (_, said) => {
  const { reasons, rep } = await reachable();

  await rep(said);

  expect(await reasons('email')).toEqual([]);
});

const PETITION = { chapter: '7', petition_date: '2026-01-05' };

test.each([
  ['pending', PETITION, ['bankruptcy']],
  ['discharged', { ...PETITION, discharge_date: '2026-01-12' }, ['bankruptcy']],
  ['dismissed', { ...PETITION, dismissal_date: '2026-01-12' }, []],
])(
  'a borrower whose bankruptcy is %s gets no message that asks for payment: %j',
  async (_, facts, against) => {
    const { officer, borrower_id, reasons } = await reachable();

    await openCase(officer, borrower_id, 'bankruptcy', facts);

    expect(await reasons('email', { template_type: 'past_due_notice' })).toEqual(against);
    expect(await reasons('email', { template_type: 'payment_reminder' })).toEqual(against);
    expect(await reasons('email', { template_type: 'payment_received' })).toEqual([]);
  },
);

test('a tenant decides which messages a disaster and its own protection stop', async () => {
  const { tenant, officer, borrower_id, reasons } = await reachable(
    await stage.tenant('2026-01-15'),
  );
  await saveSettings(tenant, {
    cases: {
      protections: ['wildfire'],
      effects: {
        disaster: { collection_messages: true },
        'protection:wildfire': { contact: 'required_notices_only' },
      },
    },
  });
  await openCase(officer, borrower_id, 'disaster', { from: '2026-01-10', to: '2026-02-10' });
  const struck = await reasons('email', { template_type: 'past_due_notice' });
  await openCase(officer, borrower_id, 'protection', { name: 'wildfire', from: '2026-01-10' });

  expect(struck).toEqual([]);
  expect(await reasons('email', { template_type: 'payment_received' })).toEqual(['protection']);
  expect(await reasons('letter', { template_type: 'payoff_letter' })).toEqual([]);
});

test('a trustee in bankruptcy counts as a bankruptcy', async () => {
  const { reasons, rep } = await reachable();

  await rep({ representative_type: 'bankruptcy_trustee' });

  expect(await reasons('letter', { template_type: 'past_due_notice' })).toEqual(['bankruptcy']);
});

test('a cease-communication demand applies, except to letters that the law requires', async () => {
  const { officer, borrower_id, reasons } = await reachable();

  const before = await reasons('letter');
  await openCase(officer, borrower_id, 'cease_and_desist', { received_date: '2026-01-15' });
  const [after, demanded] = [
    await reasons('letter'),
    await reasons('letter', { template_type: 'payoff_letter' }),
  ];

  expect([before, after, demanded]).toEqual([[], ['cease_and_desist'], []]);
});

test('an expired consent blocks; a consent that was never requested blocks only if the tenant requires it', async () => {
  const { tenant, officer, path, reasons } = await reachable(await stage.tenant());
  const agree = async (consent: object) =>
    (await officer.post(`${path}/consents`, { consent_type: 'tcpa_sms', ...consent })).body.id;

  const never = await reasons('sms');
  await saveSettings(tenant, { communications: { required_consents: ['tcpa_sms'] } });
  const required = await reasons('sms');
  await agree({ contact_value: '+12025550199' });
  const elsewhere = await reasons('sms');
  const id = await agree({ contact_value: PHONE });
  const given = await reasons('sms');
  await saveSettings(tenant, { communications: {} });
  await officer.post(`/borrower-consents/${id}/revoke`, {});
  const revoked = await reasons('sms');
  await agree({ granted_at: '2026-01-01T00:00:00Z', expires_at: '2026-01-02T00:00:00Z' });
  const expired = await reasons('sms');
  await agree({});
  const again = await reasons('sms');

  const missing = ['consent_missing'];
  expect([never, required, elsewhere]).toEqual([[], missing, missing]);
  expect([given, revoked, expired, again]).toEqual([[], missing, missing, []]);
  expect(await reasons('email')).toEqual([]);
});

test('a borrower without consent to electronic records gets statements by letter', async () => {
  const { officer, path, reasons, send } = await reachable();
  const { id } = (await officer.post(`${path}/consents`, { consent_type: 'esign' })).body;
  await officer.post(`/borrower-consents/${id}/revoke`, {});

  const statement = await send('email', 'statement_ready');

  expect(statement).toMatchObject({ status: 201, body: { channel: 'letter' } });
  expect(await reasons('email', { template_type: 'payment_received' })).toEqual([]);
});

test.each([
  ['represented_by_attorney', 'legal-reps', ATTORNEY],
  ['consent_missing', 'consents', EXPIRED],
])(
  'a blocker that appears after a message was queued still stops it: %s',
  async (why, kind, said) => {
    const { tenant, officer, path, send } = await reachable();
    const { id } = (await send('email', 'payment_reminder')).body;
    const outside = newOutside(stage.pool);

    await officer.post(`${path}/${kind}`, said);
    await sendCommunication.run({ tenant_id: tenant.id, log_id: id, attempt: 1 }, outside);

    expect(outside.mailbox).toEqual([]);
    expect((await officer.get(`/communication-logs/${id}`)).body).toMatchObject({
      status: 'failed',
      error_code: why,
    });
  },
);
test('quiet hours follow the phone’s time zone, then the borrower’s state, then the tenant', async () => {
  const { officer, path, phone, reasons } = await reachable();
  // 12:30 a.m. in New York, 9:30 p.m. in Los Angeles and 7:30 p.m. in Honolulu: only Honolulu is outside
  // quiet hours.
  const asked = { template_type: 'past_due_notice', at: '2026-01-15T05:30:00Z' };
  const quiet = () => reasons('sms', asked);

  const tenants = await quiet();
  await officer.put(path, { time_zone: 'Pacific/Honolulu' });
  const borrowers = await quiet();
  await officer.put(`/phones/${phone.body.id}`, { time_zone: 'America/Los_Angeles' });
  const phones = await quiet();
  await officer.put(`/phones/${phone.body.id}`, { time_zone: 'Pacific/Honolulu' });
  await officer.put(path, { time_zone: 'America/New_York' });
  const back = await quiet();

  const night = ['quiet_hours'];
  expect([tenants, borrowers, phones, back]).toEqual([night, [], night, []]);
});

test('a text whose retry falls into the night waits for the morning', async () => {
  const { tenant, officer, phone, send } = await reachable(await stage.tenant());
  // Quiet hours first cover one hour that is far away at the number's place, then all hours but one in UTC.
  const far = (new Date().getUTCHours() + 8) % 24;
  await saveSettings(tenant, {
    communications: { quiet_hours: { start: far, end: (far + 1) % 24 } },
  });
  const here = (new Date().getUTCHours() + 12) % 24;
  const { id } = (await send('sms', 'past_due_notice')).body;
  const outside = newOutside(stage.pool);
  await officer.put(`/phones/${phone.body.id}`, { time_zone: 'UTC' });
  const quiet_hours = { start: (here + 1) % 24, end: here };
  await saveSettings(tenant, { communications: { quiet_hours } });

  await sendCommunication.run({ tenant_id: tenant.id, log_id: id, attempt: 1 }, outside);
  const waiting = await officer.get(`/communication-logs/${id}`);
  await saveSettings(tenant, {
    communications: { quiet_hours: { start: here, end: (here + 1) % 24 } },
  });
  await sendCommunication.run({ tenant_id: tenant.id, log_id: id, attempt: 2 }, outside);

  expect(waiting.body).toMatchObject({ status: 'queued', error_code: 'quiet_hours', attempts: 1 });
  expect(outside.texts).toHaveLength(1);
});

test('each of two co-borrowers is contacted according to their own record', async () => {
  const { officer, borrower_id, reasons } = await reachable();
  const other = (await officer.post('/borrowers', { first_name: 'Bo', last_name: 'Hopper' })).body;
  await officer.post(`/borrowers/${other.id}/emails`, { email: 'grace@example.com' });
  await officer.post(`/borrowers/${other.id}/legal-reps`, ATTORNEY);

  const batch = await officer.post('/communications/send-batch', {
    template_type: 'payment_reminder',
    channel: 'email',
    borrower_ids: [borrower_id, other.id],
  });

  expect(await reasons('email', { template_type: 'payment_received' })).toEqual([]);
  expect(batch.body.results).toMatchObject([
    { borrower_id, status: 'queued' },
    { borrower_id: other.id, status: 'blocked', reasons: ['represented_by_attorney'] },
  ]);
});

const ASKED = { channel: 'sms', template_type: 'past_due_notice' };

test('co-borrowers are checked separately: one wants no contact, and it is night for the other', async () => {
  const { officer } = shared;
  const { id, borrower_id, other } = await newJointLoan(shared);
  const phone = (who: string, phone_number: string, time_zone: string) =>
    officer.post(`/borrowers/${who}/phones`, { phone_number, time_zone });
  assertOk(await phone(borrower_id, '+12025550123', 'America/New_York'));
  assertOk(await phone(other, '+18085550123', 'Pacific/Honolulu'));
  // 9 a.m. in New York, 4 a.m. in Honolulu.
  const at = '2026-01-15T14:00:00Z';
  const reasonsOf = async (who: string, more: object = {}) => {
    const question = { ...ASKED, borrower_id: who, loan_id: id, ...more };
    return (await officer.post('/communications/can-interact', question)).body.reasons;
  };

  const morning = [await reasonsOf(borrower_id, { at }), await reasonsOf(other, { at })];
  assertOk(await officer.put(`/borrowers/${borrower_id}`, { do_not_contact: true }));
  await openCase(officer, borrower_id, 'deceased', { date_of_death: '2026-01-02' });
  const noon = { at: '2026-01-15T20:00:00Z' };
  const then = [await reasonsOf(borrower_id, noon), await reasonsOf(other, noon)];
  const stranger = await officer.post('/communications/can-interact', {
    ...ASKED,
    loan_id: id,
    borrower_id: await newBorrower(shared),
  });

  expect(morning).toEqual([[], ['quiet_hours']]);
  expect(then).toEqual([['do_not_contact', 'deceased'], []]);
  expect(stranger.body.errors).toEqual({ loan_id: 'Must be a loan of this borrower.' });
});

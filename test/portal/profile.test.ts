import { expect, test } from 'vitest';
import { receiveMessage } from '../../jobs/communications/inbound/receive-message.ts';
import { setArchived } from '../../sql/write.ts';
import { newPortalBorrower, assertOk, refusal } from '../setup/portal.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

const NEW_YORK = {
  street_line_1: '1 Main Street',
  city: 'New York',
  state: 'NY',
  postal_code: '10001',
};

test('a borrower sees their contact data and adds addresses, emails and phones', async () => {
  const { borrower, officer, borrower_id, tenant } = await newPortalBorrower(stage);
  const bare = (await borrower.get('/portal/me')).body;

  const address = assertOk(await borrower.post('/portal/profile/addresses', NEW_YORK));
  const email = { email: 'Bo@Example.com', status: 'bounced', is_verified: true };
  assertOk(await borrower.post('/portal/profile/emails', email));
  const phone = assertOk(
    await borrower.post('/portal/profile/phones', { phone_number: '+12025550123' }),
  );

  expect(bare).toEqual({
    id: borrower_id,
    first_name: 'Bo',
    last_name: 'Rower',
    phone: null,
    email: `borrower@${tenant.slug}.test`,
  });
  const { body } = await borrower.get('/portal/profile');
  expect(body).toEqual({
    ...bare,
    email: 'bo@example.com',
    phone: '+12025550123',
    language_preference: 'en',
    addresses: [address],
    communication_preferences: {
      email_enabled: true,
      sms_enabled: true,
      letter_enabled: true,
      marketing_enabled: false,
    },
    text_message_consent: null,
  });
  expect(phone).toMatchObject({ can_sms: true, is_primary: true, is_verified: false });
  const { body: emails } = await borrower.get('/portal/profile/emails');
  expect(emails).toMatchObject([{ email: 'bo@example.com', status: 'active', is_verified: false }]);
  expect((await borrower.get('/portal/profile/phones')).body).toEqual([phone]);
  expect((await borrower.get('/portal/profile/addresses')).body).toEqual([address]);
  const { body: history } = await officer.get(`/borrowers/${borrower_id}/history`);
  const told = history.map((row: Record<string, string>) => [
    row['entity_type'],
    row['actor_type'],
  ]);
  expect(told).toEqual(
    expect.arrayContaining([
      ['phones', 'borrower'],
      ['emails', 'borrower'],
      ['addresses', 'borrower'],
    ]),
  );
});

test('a new phone number becomes the primary one, whether it was known or not', async () => {
  const { borrower } = await newPortalBorrower(stage);
  const call = (phone: unknown) => borrower.put('/portal/profile', { phone, email: 'x@y.test' });

  const first = assertOk(await call('+12025550101'));
  const second = assertOk(await call('+12025550102'));
  const again = assertOk(await call('+12025550101'));
  const same = assertOk(await call('+12025550101'));
  const none = assertOk(await call(null));
  const wrong = await call('555 0101');

  expect([first, second, again, same, none].map(({ phone }) => phone)).toEqual([
    '+12025550101',
    '+12025550102',
    '+12025550101',
    '+12025550101',
    '+12025550101',
  ]);
  expect((await borrower.get('/portal/profile/phones')).body).toHaveLength(2);
  expect(wrong).toMatchObject({ status: 422, body: { errors: { phone: expect.any(String) } } });
  expect(first['email']).not.toBe('x@y.test');
});

test('communication preferences are the same in the portal, by STOP and by unsubscribing', async () => {
  const { tenant, borrower, officer, borrower_id } = await newPortalBorrower(stage);
  const path = '/portal/profile/communication-preferences';
  const mail = { borrower_id, channel: 'email' };
  const reasons = async () =>
    (await officer.post('/communications/can-interact', mail)).body.reasons as string[];
  const wishes = async () =>
    (await borrower.get('/portal/profile')).body.communication_preferences as object;
  assertOk(await borrower.put('/portal/profile', { phone: '+12025550199' }));
  const { id } = assertOk(
    await borrower.post('/portal/profile/emails', { email: 'bo@example.com' }),
  );

  const off = assertOk(
    await borrower.put(path, { email_enabled: false, marketing_enabled: false }),
  );
  const opted = await reasons();
  assertOk(await borrower.put(path, { email_enabled: true }));
  assertOk(await officer.put(`/emails/${String(id)}`, { status: 'unsubscribed' }));
  const unsubscribed = await wishes();
  const message = { from: '+12025550199', to: '+12025550100', body: 'STOP', message_id: 'm-1' };
  await tenant.within((work) => receiveMessage(work, 'sms', 'generic', message));
  const stopped = await wishes();
  const on = assertOk(await borrower.put(path, { email_enabled: true, sms_enabled: true }));

  expect(off).toEqual({
    email_enabled: false,
    sms_enabled: true,
    letter_enabled: true,
    marketing_enabled: false,
  });
  expect(opted).toEqual(['channel_opted_out']);
  expect(unsubscribed).toMatchObject({ email_enabled: false, sms_enabled: true });
  expect(stopped).toMatchObject({ email_enabled: false, sms_enabled: false });
  expect(on).toMatchObject({ email_enabled: true, sms_enabled: true, marketing_enabled: false });
  expect(await reasons()).toEqual([]);
  const { body: history } = await officer.get(
    `/borrowers/${borrower_id}/history?entity_type=borrowers&action=update`,
  );
  expect(history[0]).toMatchObject({
    actor_type: 'borrower',
    changes: { email_enabled: { old: false, new: true }, sms_enabled: { old: false, new: true } },
  });
  expect(assertOk(await borrower.put(path, {}))).toEqual(on);
});

test('the portal is closed to archived borrowers and to staff', async () => {
  const { borrower, admin, officer, borrower_id, loan, tenant } = await newPortalBorrower(stage);
  await tenant.within(({ tx }) => setArchived(tx, 'borrowers', borrower_id, true));
  const paths = ['/portal/me', '/portal/dashboard', '/portal/loans', loan];

  const replies = await Promise.all(paths.map((path) => borrower.get(path)));
  const staff = await Promise.all([admin, officer].map((client) => client.get('/portal/me')));

  expect(replies).toMatchObject(paths.map(() => refusal(401, 'session_expired')));
  expect(staff).toMatchObject(staff.map(() => refusal(403, 'permission_denied')));
});

test('the number of contacts per borrower is limited', async () => {
  const { borrower } = await newPortalBorrower(stage);
  const numbers = Array.from({ length: 20 }, (_, at) => `+1202555${String(at).padStart(4, '0')}`);
  for (const phone_number of numbers)
    assertOk(await borrower.post('/portal/profile/phones', { phone_number }));

  const more = { phone_number: '+12025559999' };
  const added = await borrower.post('/portal/profile/phones', more);
  const changed = await borrower.put('/portal/profile', { phone: more.phone_number });

  expect([added, changed]).toMatchObject([
    refusal(409, 'limit_exceeded'),
    refusal(409, 'limit_exceeded'),
  ]);
});

test('turning a channel off revokes the consent, and turning it on records a new one', async () => {
  const { tenant, borrower, officer, borrower_id } = await newPortalBorrower(stage);
  const path = '/portal/profile/communication-preferences';
  const consents = `/borrowers/${borrower_id}/consents`;
  const texts = { borrower_id, channel: 'sms' };
  const reasons = async () =>
    (await officer.post('/communications/can-interact', texts)).body.reasons as string[];
  const known = async () =>
    ((await officer.get(`${consents}?ordering=id`)).body as Record<string, unknown>[]).map(
      ({ consent_type, source, status }) => [consent_type, source, status],
    );
  assertOk(await borrower.put('/portal/profile', { phone: '+12025550177' }));
  assertOk(await officer.post(consents, { consent_type: 'tcpa_sms', channel: 'sms' }));
  const message = { from: '+12025550177', to: '+12025550100', body: 'STOP', message_id: 'm-2' };
  await tenant.within((work) => receiveMessage(work, 'sms', 'generic', message));

  const stopped = await reasons();
  assertOk(await borrower.put(path, { sms_enabled: true, email_enabled: true }));
  const again = await reasons();
  assertOk(await borrower.put(path, { sms_enabled: true }));
  const granted = await known();
  assertOk(await borrower.put(path, { sms_enabled: false }));

  expect(stopped).toEqual(['channel_opted_out', 'consent_missing']);
  expect(again).toEqual([]);
  expect(granted).toEqual([
    ['tcpa_sms', 'agent', 'revoked'],
    ['tcpa_sms', 'portal', 'granted'],
  ]);
  expect((await known())[1]).toEqual(['tcpa_sms', 'portal', 'revoked']);
});

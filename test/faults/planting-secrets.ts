import { expect } from 'vitest';
import type { Client, Reply } from '../setup/client.ts';

/** One secret of each kind that users entrust to us or we give to them, easy to search for. */
export const PLANTED = {
  ssn: '219-09-9384',
  passport: 'ZQX8817264',
  account: '88811122233344',
  card_token: 'tok_planted_9931_ABCDEF',
  investor_account: '77700011122233',
  webhook_secret: 'whsec_planted_QWERTYUIOP',
  next_webhook_secret: 'whsec_planted_next_MNBVCXZLKJ',
  last_webhook_secret: 'whsec_planted_last_POIUYTREWQ',
  sftp_password: 'planted-sftp-Password-LKJHG',
  sms_secret: 'planted-sms-secret-ASDFGH',
  client_secret: 'planted-client-secret-ZXCVBN',
  password: 'planted-Giraffe-Lantern-77',
  wrong_password: 'planted-Wrong-Umbrella-78',
};
export const done = ({ status, body }: Reply) => {
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return body as Record<string, string>;
};

/** Part of the address of the tenant's logo. */
export const LOGO_TOKEN = 'planted-logo-token-YXCVBNM';

/** Puts each secret where it belongs, and a social security number into every free-text field. */
export async function plant(admin: Client, borrower: Client) {
  const { ssn, account, card_token: token } = PLANTED;
  const prose = `Says that the SSN is ${ssn}, and ${ssn.replaceAll('-', ' ')}.`;
  const metadata = { memo: prose, ssn: ssn.replaceAll('-', '') };
  const person = { first_name: 'Planted', last_name: 'Person', metadata };
  const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });
  const { id } = done(await admin.post('/borrowers', person, keyed('person')));
  const whose = `/borrowers/${id}`;
  const number = { identity_type: 'ssn', identifier: ssn };
  for (const _again of [1, 2]) await admin.post(`${whose}/identities`, number, keyed('ssn'));
  await admin.post(`${whose}/identities`, {
    identity_type: 'passport',
    identifier: PLANTED.passport,
  });
  done(await admin.post('/borrower-identities/search', number));
  const bank = { routing_number: '021000021', account_type: 'checking', is_verified: true };
  const made = { ...bank, account_number: account, token };
  const instrument = done(await admin.post(`${whose}/payment-instruments`, made, keyed('bank')));
  done(await admin.put(`/payment-instruments/${instrument['id']}`, { account_number: account }));
  done(await borrower.post('/portal/payment-instruments', { ...bank, account_number: account }));
  done(await admin.post(`${whose}/emails`, { email: 'planted.person@example.com' }));
  done(await admin.post(`${whose}/notes`, { body: prose, subject: prose }));
  done(await admin.post(`${whose}/tasks`, { title: prose, description: prose }));
  const question = { subject: prose, description: prose, case_type: 'general' };
  done(await borrower.post('/portal/support/cases', question));
  await admin.put(whose, { ssn_last_four: ssn, date_of_birth: ssn });
  const investor = done(await admin.post('/investors', { name: 'I', investor_type: 'bank' }));
  const settled = { routing_number: '021000021', account_number: PLANTED.investor_account };
  done(await admin.post(`/investors/${investor['id']}/settlement-instruments`, settled));
  const receiver = { url: 'https://receiver.invalid/hook', events: ['payment.received'] };
  const hook = { ...receiver, secret: PLANTED.webhook_secret };
  const { id: hook_id } = done(await admin.post('/webhooks', hook, keyed('hook')));
  await admin.post('/webhooks', hook, keyed('hook'));
  await exchange(admin, `/webhooks/${hook_id}`);
  const sms = { name: 'generic', secret: PLANTED.sms_secret };
  done(await admin.put('/communications/providers/sms', sms));
  const provider = { issuer_url: 'https://login.invalid', redirect_url: 'https://localhost/in' };
  const desk = {
    ...provider,
    name: 'Desk',
    client_id: 'desk',
    client_secret: PLANTED.client_secret,
  };
  await admin.post('/identity-providers', desk);
  const partner = { name: 'Fund', host: 'sftp.invalid', username: 'lender' };
  const proofs = { host_keys: [`SHA256:${'a'.repeat(43)}`], password: PLANTED.sftp_password };
  for (const _again of [1, 2])
    await admin.post('/sftp-servers', { ...partner, ...proofs }, keyed('sftp'));
  const logo_url = `https://pictures.invalid/logo.png?token=${LOGO_TOKEN}`;
  done(await admin.put('/tenant/settings', { branding: { logo_url } }));
  return { whose, borrower_id: id ?? '', instrument: instrument['id'] ?? '', prose };
}

/**
 * Replaces a receiver's secret without overlap, then by one that shares some hours with its predecessor.
 */
async function exchange(admin: Client, hook: string) {
  const rotate = (key: string, body: object) =>
    admin.post(`${hook}/rotate-secret`, body, { headers: { 'Idempotency-Key': key } });
  const [next, last] = [PLANTED.next_webhook_secret, PLANTED.last_webhook_secret];
  done(await rotate('at-once', { secret: next, overlap_hours: 0 }));
  await admin.post(`${hook}/test`);
  for (const _again of [1, 2]) done(await rotate('with-hours', { secret: last }));
  // Refused because two secrets are already valid. The secret in the refused request must not be kept
  // either.
  await rotate('too-early', { secret: PLANTED.webhook_secret });
}

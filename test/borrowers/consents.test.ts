import { expect, test } from 'vitest';
import { addConsent } from '../../jobs/borrowers/consent.ts';
import { newLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

const tenant = await stage.tenant();
const { officer } = tenant;

/** A new borrower, with the path of their consents. */
async function somebody() {
  const { id } = (await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' })).body;
  return { id: id as string, path: `/borrowers/${id}` };
}

test('a consent is stored with its text and can be revoked once', async () => {
  const { path } = await somebody();
  const made = await officer.post(`${path}/consents`, {
    consent_type: 'tcpa_sms',
    channel: 'sms',
    consent_text: 'I agree to text messages.',
    contact_value: '+12025550100',
    source: 'paper',
    granted_at: '2026-01-02T10:00:00Z',
  });
  const revoke = `/borrower-consents/${made.body.id}/revoke`;
  const why = { revocation_method: 'letter', revocation_reason: 'Asked for in writing' };

  const [one, other] = await Promise.all([officer.post(revoke, why), officer.post(revoke, why)]);
  const read = await officer.get(`/borrower-consents/${made.body.id}`);
  const history = await officer.get(`${path}/history?action=revoke`);

  expect(made).toMatchObject({ status: 201, body: { status: 'granted', revoked_at: null } });
  expect(new Set([one.status, other.status])).toEqual(new Set([200, 409]));
  expect([one, other].find(({ status }) => status === 409)?.body).toMatchObject({
    code: 'invalid_transition',
    details: { current_status: 'revoked' },
  });
  expect(read.body).toMatchObject({ ...why, status: 'revoked', revoked_at: expect.any(String) });
  expect(history.body).toMatchObject([{ changes: { status: { old: 'granted', new: 'revoked' } } }]);
});

test('a consent is evidence: it cannot be changed or deleted, not even in the database', async () => {
  const { path } = await somebody();
  const made = await officer.post(`${path}/consents`, { consent_type: 'esign' });
  const own = `/borrower-consents/${made.body.id}`;
  const asApplication = (text: string) =>
    tenant.within(async ({ tx }) => {
      const { sql } = await import('../../sql/database/db.ts');
      await tx.query(sql.unsafe([text] as unknown as TemplateStringsArray));
    });

  const replies = [await officer.put(own, { source: 'paper' }), await officer.delete(own)];

  expect(replies.map(({ status }) => status)).toEqual([405, 405]);
  for (const text of [
    'delete from borrower_consents',
    "update borrower_consents set source = 'import'",
    "update borrower_consents set revoked_at = now(), revocation_method = 'agent', granted_at = now()",
  ])
    await expect(asApplication(text), text).rejects.toThrow();
  const revoked = await officer.post(`${own}/revoke`, {});
  expect(revoked.status).toBe(200);
  await expect(asApplication('update borrower_consents set revoked_at = null')).rejects.toThrow();
  const read = await officer.get(own);
  expect(read.body).toMatchObject({
    status: 'revoked',
    source: 'agent',
    granted_at: made.body.granted_at,
  });
});

test('an expired consent can no longer be revoked', async () => {
  const { path } = await somebody();
  const { body } = await officer.post(`${path}/consents`, {
    consent_type: 'credit_pull',
    granted_at: '2026-01-01T00:00:00Z',
    expires_at: '2026-01-02T00:00:00Z',
  });

  const listed = await officer.get(`${path}/consents?status=expired`);
  const revoked = await officer.post(`/borrower-consents/${body.id}/revoke`, {});

  expect(listed.body).toMatchObject([{ id: body.id, status: 'expired' }]);
  expect(revoked).toMatchObject({ status: 409, body: { details: { current_status: 'expired' } } });
});

test.each([
  [{ granted_at: '2999-01-01T00:00:00Z' }, 'granted_at'],
  [{ granted_at: '2026-01-02T00:00:00Z', expires_at: '2026-01-01T00:00:00Z' }, 'expires_at'],
  [{ consent_type: 'tcpa_sms', contact_value: 'ada@example.com' }, 'contact_value'],
  [{ consent_type: 'email', contact_value: '+12025550100' }, 'contact_value'],
  [{ ip_address: 'somewhere' }, 'ip_address'],
])('an impossible consent is refused: %o', async (said, field) => {
  const { path } = await somebody();

  const refused = await officer.post(`${path}/consents`, { consent_type: 'esign', ...said });

  expect(refused.status).toBe(422);
  expect(Object.keys(refused.body.errors)).toEqual([field]);
});

test('a consent given on a page records the borrower’s IP address', async () => {
  const { id, path } = await somebody();
  await tenant.within((work) => {
    const actor = { ...work.actor, type: 'borrower' as const, ip: '192.0.2.7' };
    return addConsent({ ...work, actor }, { borrower_id: id, consent_type: 'esign' });
  });

  const { body } = await officer.get(`${path}/consents`);

  expect(body).toMatchObject([{ source: 'portal', ip_address: '192.0.2.7' }]);
});

test('a borrower with an attorney is contacted only through the attorney unless stated otherwise', async () => {
  const { path } = await somebody();
  const name = { first_name: 'Al', last_name: 'Counsel' };
  const add = (rep: object) => officer.post(`${path}/legal-reps`, { ...name, ...rep });

  const attorney = await add({ representative_type: 'attorney', bar_number: 'NY-1' });
  const guardian = await add({ representative_type: 'guardian' });
  const advisory = await add({
    representative_type: 'attorney',
    contact_through_representative: false,
  });
  const backwards = await officer.put(`/legal-reps/${attorney.body.id}`, {
    end_date: '2026-01-14',
  });
  const deleted = await officer.delete(`/legal-reps/${attorney.body.id}`);

  const through = [attorney, guardian, advisory].map(
    ({ body }) => body.contact_through_representative,
  );
  expect(through).toEqual([true, false, false]);
  expect(attorney.body).toMatchObject({ effective_date: '2026-01-15', is_active: true });
  expect(Object.keys(backwards.body.errors)).toEqual(['end_date']);
  expect(deleted).toMatchObject({ status: 200, body: { is_archived: true, is_active: false } });
});

test('a note names its author, belongs to the borrower’s own loans, and is masked', async () => {
  const { path } = await somebody();
  const loan = await newLoan(tenant);

  const note = await officer.post(`${path}/notes`, {
    body: 'Called about 123-45-6789.\nWill pay on Friday.',
    category: 'call',
    is_pinned: true,
  });
  const foreign = await officer.post(`${path}/notes`, { body: 'Hm', loan_id: loan.id });
  const empty = await officer.post(`${path}/notes`, { body: ' ' });
  const found = await officer.get(`${path}/notes?q=friday&is_pinned=true`);

  expect(note).toMatchObject({
    status: 201,
    body: { author_name: 'loan_officer User', body: expect.stringContaining('***-**-6789') },
  });
  expect([Object.keys(foreign.body.errors), Object.keys(empty.body.errors)]).toEqual([
    ['loan_id'],
    ['body'],
  ]);
  expect(found.body).toMatchObject([{ id: note.body.id }]);
});

test('a business has one details record', async () => {
  const { path } = await somebody();
  const owners = [
    { first_name: 'Ada', last_name: 'B', ownership_percentage: '0.6', ssn_last_four: '4711' },
    { first_name: 'Bo', last_name: 'B', ownership_percentage: '0.4' },
  ];
  const business = { legal_name: 'Engines LLC', entity_type: 'llc', beneficial_owners: owners };
  const detail = `${path}/business-detail`;

  const none = await officer.get(detail);
  const [one, other] = await Promise.all([
    officer.post(detail, business),
    officer.post(detail, business),
  ]);
  const { body } = await officer.get(detail);
  const changed = await officer.put(`/business-details/${body.id}`, { naics_code: '333618' });
  const tooMuch = await officer.put(`/business-details/${body.id}`, {
    beneficial_owners: [...owners, { ...owners[1], ownership_percentage: '0.01' }],
  });
  const history = await officer.get(`${path}/history`);

  expect(none.status).toBe(404);
  expect(new Set([one.status, other.status])).toEqual(new Set([201, 409]));
  expect(body).toMatchObject({ legal_name: 'Engines LLC', beneficial_owners: owners });
  expect(changed.body).toMatchObject({ naics_code: '333618', legal_name: 'Engines LLC' });
  expect(Object.keys(tooMuch.body.errors)).toEqual(['beneficial_owners']);
  expect(JSON.stringify(history.body)).not.toContain('4711');
});

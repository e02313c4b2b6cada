import { expect, test } from 'vitest';
import { sql } from '../../sql/database/db.ts';
import { z } from 'zod';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant('2026-01-15');
await saveSettings(tenant, {
  branding: { address_line_1: '9 Old Street', support_phone: '+12025550100' },
});
const admin = await tenant.signedIn('admin');
const PATH = '/document-wordings';
const PAYOFF = { document_type: 'payoff_letter', language: 'en' };

test('wording that cannot be printed is refused with its position', async () => {
  const unknown = await admin.post(PATH, { ...PAYOFF, opening: 'Hello\n{{ loan.rate }}' });
  const elsewhere = await admin.post(PATH, { ...PAYOFF, closing: 'By {{ due_date }}' });
  const raw = await admin.post(PATH, { ...PAYOFF, closing: '{{{ borrower.name }}}' });
  const before = await admin.post(PATH, {
    document_type: 'monthly_statement',
    language: 'en',
    opening: 'Dear customer',
  });
  const long = await admin.post(PATH, { ...PAYOFF, closing: 'x'.repeat(2_001) });
  const listed = await admin.get(PATH);

  expect(unknown).toMatchObject({
    status: 422,
    body: { errors: { opening: 'Line 2, column 1: There is no value “loan.rate”.' } },
  });
  expect(elsewhere.body.errors.closing).toMatch(/There is no value “due_date”/);
  expect(raw.body.errors.closing).toMatch(/Values are always escaped/);
  expect(before.body.errors.opening).toMatch(/Statements have no opening text/);
  expect(long.status).toBe(422);
  expect(listed.body).toEqual([]);
});

test('a document has one wording per language, and each change is a new version', async () => {
  const made = await admin.post(PATH, { ...PAYOFF, opening: 'Thank you.' });
  const path = `${PATH}/${made.body.id}`;
  const twice = await admin.post(PATH, { ...PAYOFF, closing: 'Goodbye.' });
  const same = await admin.put(path, made.body);
  const other = await admin.put(path, { closing: 'Goodbye, {{ borrower.name }}.' });
  const wrong = await admin.put(path, { closing: '{{ statement.date }}' });
  await admin.delete(path);
  const again = await admin.post(PATH, { ...PAYOFF, closing: 'Anew.' });
  await admin.delete(`${PATH}/${again.body.id}`);

  expect(twice).toMatchObject({ status: 409, body: { code: 'already_exists' } });
  expect([same.body.version, other.body.version]).toEqual([1, 2]);
  expect(wrong.status).toBe(422);
  expect(again).toMatchObject({ status: 201, body: { version: 1 } });
});

test('wording is previewed on the document before saving, next to the text of the law', async () => {
  const words =
    '<b>We care</b>, {{ borrower.name }}, {{ today | date }}.<script>alert(1)</script>' +
    '<div style="margin-top:-900px;background:#fff">Upon it<img src="https://x.example/a.png"></div>';
  const preview = (document_type: string, language = 'en') =>
    admin.post(`${PATH}/preview`, { document_type, language, closing: words });
  const shown = await Promise.all([
    preview('adverse_action_notice'),
    preview('adverse_action_notice', 'es'),
    preview('monthly_statement'),
    preview('payoff_letter'),
  ]);
  const refused = await tenant.officer.post(`${PATH}/preview`, PAYOFF);

  for (const { status, body } of shown) {
    expect(status).toBe(200);
    expect(body.html).toContain('<b>We care</b>, María O’Neil, ');
    expect(body.html).toContain('9 Old Street');
    expect(body.html).not.toContain('<script');
    expect(body.html).toContain('<div>Upon it</div>');
  }
  expect(shown[0]?.body.html).toContain('Equal Credit Opportunity Act');
  expect(shown[0]?.body.html).toContain('O’Neil, January 15, 2026.');
  expect(shown[1]?.body.html).toContain('O’Neil, 15 de enero de 2026.');
  expect(shown[3]?.body.html).toContain('$9,878.76');
  expect(refused.status).toBe(403);
  expect((await admin.get(PATH)).body).toEqual([]);
});

const Ordered = z.object({ template_data: z.looseObject({}), metadata: z.looseObject({}) });

test('a letter keeps the wording version of its language', async () => {
  const { body: made } = await admin.post(PATH, { ...PAYOFF, closing: 'In English.' });
  await admin.put(`${PATH}/${made.id}`, { closing: 'In better English.' });
  const english = await newLoan(tenant);
  const spanish = await newLoan(tenant);
  await tenant.officer.put(`/borrowers/${spanish.borrower_id}`, { language_preference: 'es' });
  for (const { id } of [english, spanish])
    await tenant.officer.post(`/loans/${id}/payoff-quotes`, {});

  const ordered = await tenant.within(({ tx }) =>
    tx.any(sql.type(Ordered)`
      select template_data, metadata from documents where template = 'payoff_letter' order by id
    `),
  );

  expect(ordered[0]?.template_data).toMatchObject({ wording: { closing: 'In better English.' } });
  expect(ordered[0]?.metadata).toEqual({ wording: { id: made.id, version: 2 } });
  expect(ordered[1]?.template_data).toMatchObject({ wording: null });
  expect(ordered[1]?.metadata).toEqual({});
});

test('a statement uses the wording of its language, for any region', async () => {
  const other = await stage.tenant('2026-01-15');
  const own = await other.signedIn('admin');
  for (const [language, closing] of Object.entries({ en: 'In English.', es: 'En español.' }))
    await own.post(PATH, { document_type: 'monthly_statement', language, closing });
  for (const language_preference of ['en', 'es-MX', 'fr']) {
    const { borrower_id } = await newLoan(other);
    await other.officer.put(`/borrowers/${borrower_id}`, { language_preference });
  }

  await travelTo(stage, other, '2026-02-01');

  const billed = await other.within(({ tx }) =>
    tx.any(sql.type(z.object({ language: z.string(), closing: z.string() }))`
      select figures ->> 'language' as language, figures -> 'wording' ->> 'closing' as closing
      from statements
    `),
  );
  expect(billed.map(({ language, closing }) => `${language}: ${closing}`).toSorted()).toEqual([
    'en: In English.',
    'es-MX: En español.',
    'fr: In English.',
  ]);
});

import { expect, test } from 'vitest';
import { setBusinessDate } from '../setup/ledger.ts';
import { openLineOfCredit } from '../setup/lines-of-credit.ts';
import { newLoan } from '../setup/loans.ts';
import { pageClient } from '../setup/pages.ts';
import { assertOk, newPortalBorrower } from '../setup/portal.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('the portal explains the payoff amount that it shows, also after a charge-off and for a line of credit', async () => {
  const { tenant, borrower, borrower_id, admin, id } = await newPortalBorrower(stage);
  const line = await openLineOfCredit(tenant);
  assertOk(
    await tenant.officer.post(`/loans/${line}/co-borrowers`, { borrower_id, role: 'guarantor' }),
  );
  const { id: lost } = await newLoan(tenant, { borrower_id });
  assertOk(await admin.post(`/loans/${lost}/charge-off`, { reason: 'delinquency' }));
  await setBusinessDate(tenant, '2026-02-01');
  const seen: unknown[] = [];

  for (const own of [id, line, lost]) {
    const { payoff_amount } = assertOk(await borrower.get(`/portal/loans/${own}`));
    const found = await borrower.get(`/portal/loans/${own}/explain?figure=payoff_amount`);
    seen.push([found.body.amount === payoff_amount, found.body.steps.map(ruleOf)]);
  }

  expect(seen).toEqual([
    [true, ['principal', 'interest']],
    [true, ['principal', 'interest']],
    [true, ['charge_off_balance']],
  ]);
});
const ruleOf = ({ rule }: { rule: string }) => rule;

test('a borrower gets no explanation of another borrower’s loan, and no internal reasons', async () => {
  const { tenant, borrower, admin, id } = await newPortalBorrower(stage);
  const other = await newLoan(tenant);
  assertOk(await admin.post(`/loans/${id}/freeze`, { reason: 'fraud' }));
  await setBusinessDate(tenant, '2026-01-20');
  const path = (loan: string) => `/loans/${loan}/explain?figure=accrued_interest`;

  const foreign = await borrower.get(`/portal${path(other.id)}`);
  const own = await borrower.get(`/portal${path(id)}`);
  const staffs = await tenant.officer.get(path(id));

  expect(foreign.status).toBe(404);
  expect(staffs.body.steps).toMatchObject([{ rule: 'suspended', interest: { stops: ['freeze'] } }]);
  expect(own.body.steps).toMatchObject([{ rule: 'suspended', interest: { stops: null } }]);
  expect(JSON.stringify(own.body)).not.toMatch(/freeze|fraud/);
});

test('each figure on the loan page links to its explanation, in the borrower’s language', async () => {
  const { tenant, borrower, id } = await newPortalBorrower(stage);
  await setBusinessDate(tenant, '2026-03-01');
  const pages = pageClient(borrower);
  const { body: page } = await pages.get(`/loans/${id}`);
  const links = [...page.matchAll(/href="\/portal(\/loans\/[\w-]+\/explain\/[a-z-]+)"/g)].map(
    ([, path = '']: RegExpMatchArray) => path,
  );

  const shown = await Promise.all(links.map((path) => pages.get(path)));
  const here = `/loans/${id}/explain/past-due-amount`;
  const back = /name="back" value="([^"]*)"/.exec(shown[2]?.body ?? '')?.[1] ?? '';
  const changed = await pages.send('/language', { language: 'es', back });
  const spanish = await pages.get(here);
  const unknown = await pages.get(`/loans/${id}/explain/apr`);
  assertOk(await borrower.put('/portal/profile', { language_preference: 'es' }));
  const own = await borrower.get(`/portal/loans/${id}/explain?figure=past_due_amount`);

  expect(links.map((path) => path.split('/').at(-1))).toEqual([
    'amount-due',
    'payoff-amount',
    'past-due-amount',
    'days-past-due',
    'accrued-interest',
  ]);
  expect(shown.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(shown[2]?.body).toContain(
    'Payment 1, due February 15, 2026: $315.68, of which nothing has been paid.',
  );
  expect(changed.headers['location']).toBe(`/portal${here}`);
  expect(spanish.body).toContain('¿Cómo se calcula?');
  expect(spanish.body).toContain('Pago 1, con vencimiento el 15 de febrero de 2026: $315.68');
  expect(own.body.summary).toBe('Al 1 de marzo de 2026 hay $315.68 vencidos.');
  expect(unknown.status).toBe(404);
});

test('a loan that is not funded has no figures to explain', async () => {
  const { tenant, borrower, borrower_id } = await newPortalBorrower(stage);
  const { id } = await newLoan(tenant, { borrower_id, status: 'approved' });
  const pages = pageClient(borrower);

  const page = await pages.get(`/loans/${id}`);
  const asked = await borrower.get(`/portal/loans/${id}/explain?figure=amount_due`);

  expect(page.status).toBe(200);
  expect(page.body).not.toContain('/explain/');
  expect(asked).toMatchObject({ status: 409, body: { code: 'loan_not_funded' } });
});

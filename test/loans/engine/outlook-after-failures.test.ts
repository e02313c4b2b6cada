import { expect, test } from 'vitest';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

/** Lets writes to a table fail, as a defect of one loan would. Returns what repairs it. */
async function failing(when: string, table: string, condition = 'true') {
  await stage.owner.query(`
    create function public.fail_on_${table}() returns trigger language plpgsql as $$
    begin
      if ${condition} then raise exception 'bad data'; end if;
      return coalesce(new, old);
    end $$;
    create trigger fail_on_${table} ${when} on ${table} for each row execute function public.fail_on_${table}();
  `);
  return () =>
    stage.owner.query(
      `drop trigger fail_on_${table} on ${table}; drop function public.fail_on_${table}();`,
    );
}

const failingSteps = async (id: string) =>
  (
    await stage.owner.query<{ step: string }>(
      'select distinct step from cob_loan_errors where loan_id = $1 and resolved_at is null order by step',
      [id],
    )
  ).rows.map(({ step }) => step);

test('a scheduled payment that fails when it is due lowers the booked interest only once it is paid', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const payment = { amount: '5000.00', payment_date: '2026-01-20' };
  await tenant.officer.post(`/loans/${id}/payments`, payment);

  const repair = await failing('before delete', 'payments');
  await travelTo(stage, tenant, '2026-01-25');
  const during = [
    (await tenant.officer.get(`/loans/${id}`)).body.accrued_interest,
    (await tenant.officer.get(`/loans/${id}/get-balances`)).body.accrued_interest,
  ];
  await repair();
  await travelTo(stage, tenant, '2026-01-28');

  // Ten days of 10,000.00 × 0.085 ÷ 365.
  expect(during).toEqual(['23.29', '23.29']);
  expect(await failingSteps(id)).toEqual([]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a freeze that cannot be ended earns no interest until it is', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const admin = await tenant.signedIn('admin');
  await admin.post(`/loans/${id}/freeze`, { reason: 'dispute', until_date: '2026-01-20' });

  const repair = await failing('before update', 'loans', 'old.is_frozen and not new.is_frozen');
  await travelTo(stage, tenant, '2026-01-25');
  const during = (await tenant.officer.get(`/loans/${id}`)).body.accrued_interest;
  await repair();
  await travelTo(stage, tenant, '2026-01-28');

  expect(during).toBe('0.00');
  expect(await failingSteps(id)).toEqual([]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a late loan whose outlook cannot be continued stays late, and its interest is booked later', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);

  const repair = await failing('before insert or update', 'loan_outlook', `new.loan_id = '${id}'`);
  await travelTo(stage, tenant, '2026-04-02');
  const steps = await failingSteps(id);
  const violations = await violationsIn(stage);
  const billed = await stage.owner.query('select from statements where loan_id = $1', [id]);
  const { rows } = await stage.owner.query(
    'select delinquency_bucket, first_delinquency_date::text from loans where id = $1',
    [id],
  );
  await repair();
  await travelTo(stage, tenant, '2026-05-02');
  const statements = await stage.owner.query<{ interest: string; accrued: string }>(
    `select figures #>> '{summary,interest}' as interest, figures #>> '{counters,accrued}' as accrued
     from statements where loan_id = $1 order by statement_month`,
    [id],
  );

  expect(steps).toEqual(expect.arrayContaining(['accrual', 'fold', 'snapshot']));
  expect(violations).toContainEqual(expect.stringContaining('0 rows of its outlook'));
  // Of three ended months, the last is not billed with unknown interest.
  expect(billed.rowCount).toBe(2);
  expect(rows[0]).toMatchObject({ first_delinquency_date: '2026-02-15' });
  expect(rows[0]?.['delinquency_bucket']).not.toBe('current');
  expect(await failingSteps(id)).toEqual([]);
  expect(await violationsIn(stage)).toEqual([]);
  const interest = statements.rows.map((row) => Number(row.interest));
  expect(interest.reduce((sum, one) => sum + one, 0).toFixed(2)).toBe(
    statements.rows.at(-1)?.accrued,
  );
});

test('no open loan is without a row of its outlook for tomorrow, whichever night continues it', async () => {
  const tenant = await stage.tenant('2026-01-15');
  // Each of the 13 nights, which follow from the last byte of the id.
  const nights = new Set<number>();
  while (nights.size < 13) {
    const { id } = await newLoan(tenant);
    nights.add(Number.parseInt(id.slice(-2), 16) % 13);
  }

  const counts: number[] = [];
  for (let days = 26; days <= 48; days += 1) {
    await travelTo(
      stage,
      tenant,
      new Date(Date.UTC(2026, 0, 15 + days)).toISOString().slice(0, 10),
    );
    counts.push((await violationsIn(stage)).length);
  }

  expect(counts.every((count) => count === 0)).toBe(true);
});

import { expect, test } from 'vitest';
import { newLoan } from '../../setup/loans.ts';
import { openLineOfCredit } from '../../setup/lines-of-credit.ts';
import { closeThrough, runJobs } from '../../setup/queue.ts';
import { importList } from '../../setup/sdn-list.ts';
import { saveSettings } from '../../setup/settings.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();
const LISTED = { name: 'TESTOV, Ivan Petrovich', remarks: 'DOB 07 Oct 1954.' };
const OTHERS = [
  { name: 'PLACEHOLDER, Paula' },
  { name: 'IMAGINARY TRADING', type: '-0-' as const },
];

/** The list is shared by all tenants, so each test publishes a newer one. */
let day = 0;
const publish = (listed: readonly { name: string; aliases?: readonly string[] }[]) => {
  day += 1;
  return importList(stage, [...OTHERS, ...listed], `2026-01-${String(day).padStart(2, '0')}`);
};

const ENFORCED = {
  hard_enforcement: true,
  sanctions_screening: 'sdn_list',
  checks: Object.fromEntries(
    ['identity_verified', 'esign_consent', 'age_minimum', 'usury_rate_cap'].map((code) => [
      code,
      'off',
    ]),
  ),
};

async function screeningTenant() {
  const tenant = await stage.tenant('2026-01-15');
  await saveSettings(tenant, { compliance: ENFORCED });
  return { tenant, admin: await tenant.signedIn('admin'), officer: tenant.officer };
}

const closeDay = async (tenant: Tenant, through: string) => {
  await closeThrough(stage, tenant, through);
  await runJobs(stage, {}, ['screen-borrowers']);
};

const rename = (tenant: Tenant, id: string, name: object) =>
  tenant.officer.put(`/borrowers/${id}`, name);
const IVAN = { first_name: 'Ivan', last_name: 'Testov' };

const screeningOf = async (tenant: Tenant, loanId: string) => {
  const run = await tenant.officer.post(`/loans/${loanId}/run-compliance-checks`, {
    checks: ['ofac_screening'],
  });
  return run.body.checks[0];
};

test('screening is off unless it is switched on, and a hard check without it fails', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, { status: 'pending' });
  const judged = () => screeningOf(tenant, id);

  const off = await judged();
  await saveSettings(tenant, { compliance: { checks: { ofac_screening: 'hard' } } });
  const required = await judged();
  await saveSettings(tenant, { compliance: { sanctions_screening: 'sdn_list' } });
  const withoutList = await judged();

  expect(off).toMatchObject({ status: 'skipped', details: { reason: 'not_configured' } });
  expect(required).toMatchObject({ status: 'fail', message: expect.stringContaining('sdn_list') });
  expect(withoutList).toMatchObject({
    status: 'warn',
    message: expect.stringContaining('imported'),
  });
});

test('a possible match blocks the approval until an admin clears it, and stays cleared', async () => {
  await publish([LISTED]);
  const { tenant, admin, officer } = await screeningTenant();
  const { id, borrower_id } = await newLoan(tenant, { status: 'pending' });
  await rename(tenant, borrower_id, { ...IVAN, date_of_birth: '1980-05-17' });

  const refused = await officer.post(`/loans/${id}/approve`);
  const again = await officer.post(`/loans/${id}/approve`);
  const [hit, ...more] = (await admin.get(`/sanctions-hits?borrower_id=${borrower_id}`)).body;
  const [task, ...moreTasks] = (await officer.get(`/borrowers/${borrower_id}/tasks`)).body;
  const unexplained = await admin.post(`/sanctions-hits/${hit.id}/clear`, { reason: ' ' });
  const cleared = await admin.post(`/sanctions-hits/${hit.id}/clear`, {
    reason: 'Born 26 years later, in Ohio.',
  });
  const twice = await admin.post(`/sanctions-hits/${hit.id}/clear`, { reason: 'Again.' });
  const [done] = (await officer.get(`/borrowers/${borrower_id}/tasks`)).body;
  const approved = await officer.post(`/loans/${id}/approve`);
  await publish([{ ...LISTED, aliases: ['NOBODY, Else'] }]);
  await closeDay(tenant, '2026-01-15');
  const afterNewList = await screeningOf(tenant, id);

  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'compliance_failed', details: { failed_checks: [{ code: 'ofac_screening' }] } },
  });
  expect(again.status).toBe(409);
  expect(more).toEqual([]);
  expect(hit).toMatchObject({
    screened_name: 'Ivan Testov',
    listed_name: 'TESTOV, Ivan Petrovich',
    score: '0.900',
    date_of_birth_match: 'different',
    entry: { programs: 'TESTLAND', addresses: ['1 Example Street, Sampletown, Testland'] },
    status: 'pending',
    is_listed: true,
  });
  expect(moreTasks).toEqual([]);
  expect(task).toMatchObject({ task_type: 'compliance', priority: 'urgent', status: 'open' });
  expect(unexplained.status).toBe(422);
  expect(cleared.body).toMatchObject({
    status: 'cleared',
    reviews: [{ status: 'cleared', reason: 'Born 26 years later, in Ohio.' }],
  });
  expect(twice).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(done.status).toBe('completed');
  expect(approved.status).toBe(200);
  expect(afterNewList.status).toBe('pass');
});

test('a cleared match comes back for another name of the borrower or of the entry', async () => {
  await publish([LISTED]);
  const { tenant, admin } = await screeningTenant();
  const { id, borrower_id } = await newLoan(tenant, { status: 'pending' });
  await rename(tenant, borrower_id, IVAN);
  const pending = async () =>
    (await admin.get(`/sanctions-hits?borrower_id=${borrower_id}&status=pending&is_current=true`))
      .body;
  const clearAll = async () => {
    for (const { id: hit } of await pending())
      await admin.post(`/sanctions-hits/${hit}/clear`, { reason: 'Another person.' });
  };

  await screeningOf(tenant, id);
  await clearAll();
  const afterReview = await screeningOf(tenant, id);
  await rename(tenant, borrower_id, { first_name: 'Iwan' });
  const renamed = await screeningOf(tenant, id);
  const ofNewName = await pending();
  await clearAll();
  await publish([{ ...LISTED, aliases: ['TESTOV, Iwan'] }]);
  const withAlias = await screeningOf(tenant, id);
  const ofAlias = await pending();
  await rename(tenant, borrower_id, { first_name: 'Ivan' });
  const backAgain = await screeningOf(tenant, id);

  expect(afterReview.status).toBe('pass');
  expect(renamed.status).toBe('fail');
  expect(ofNewName).toMatchObject([{ screened_name: 'Iwan Testov' }]);
  expect(withAlias.status).toBe('fail');
  expect(ofAlias).toMatchObject([{ listed_name: 'TESTOV, Iwan' }]);
  // The alias is new for the old name, too.
  expect(backAgain.status).toBe('fail');
});

test('close of business screens everyone who owes an open loan against a new list', async () => {
  await publish([]);
  const { tenant, admin } = await screeningTenant();
  const { id } = await newLoan(tenant, { status: 'pending' });
  const guarantor = await tenant.officer.post('/borrowers', IVAN);
  await tenant.officer.post('/borrowers', IVAN);
  await tenant.officer.post(`/loans/${id}/co-borrowers`, {
    borrower_id: guarantor.body.id,
    role: 'guarantor',
  });

  await closeDay(tenant, '2026-01-15');
  const before = (await admin.get('/sanctions-hits')).body;
  const screened = (await admin.get('/sanctions-screenings')).body;
  await publish([LISTED]);
  await closeDay(tenant, '2026-01-16');
  const after = (await admin.get('/sanctions-hits')).body;
  const rescreened = (await admin.get('/sanctions-screenings')).body;
  const tasks = (await admin.get(`/borrowers/${guarantor.body.id}/tasks?priority=urgent`)).body;

  expect(before).toEqual([]);
  expect(screened).toHaveLength(2);
  expect(after).toMatchObject([{ borrower_id: guarantor.body.id, status: 'pending' }]);
  expect(rescreened).toHaveLength(2);
  for (const { list_published_on, first_list_published_on } of rescreened)
    expect(list_published_on > first_list_published_on).toBe(true);
  expect(tasks).toHaveLength(1);
});

test('money waits for the review: the first disbursement, a draw, and after a confirmed match', async () => {
  await publish([]);
  const { tenant, admin, officer } = await screeningTenant();
  const { id, borrower_id } = await newLoan(tenant, { status: 'approved' });
  const line = await openLineOfCredit(tenant);
  const { borrower_id: lineBorrower } = (await officer.get(`/loans/${line}`)).body;
  for (const person of [borrower_id, lineBorrower]) await rename(tenant, person, IVAN);
  await publish([LISTED]);
  const pay = () => officer.post(`/loans/${id}/disburse`);
  const draw = () => officer.post(`/loans/${line}/draws`, { amount: '10.00' });

  const refused = [await pay(), await draw()];
  const hits = (await admin.get('/sanctions-hits')).body as { id: string; borrower_id: string }[];
  const hitOf = (person: string) => hits.find((hit) => hit.borrower_id === person)?.id;
  await admin.post(`/sanctions-hits/${hitOf(borrower_id)}/clear`, { reason: 'Not him.' });
  await admin.post(`/sanctions-hits/${hitOf(lineBorrower)}/confirm`, { reason: 'Same passport.' });
  const paid = await pay();
  const stillRefused = await draw();
  const open = async () => (await admin.get(`/borrowers/${lineBorrower}/tasks?status=open`)).body;
  const tasks = await open();
  await admin.post(`/sanctions-hits/${hitOf(lineBorrower)}/clear`, { reason: 'Another passport.' });

  for (const { status, body } of [...refused, stillRefused])
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'compliance_failed' });
  expect(hits).toHaveLength(2);
  expect(paid.status).toBe(200);
  // Ten business days after 15 January 2026, with Martin Luther King Day in between.
  expect(tasks).toMatchObject([{ task_type: 'compliance', due_date: '2026-01-30' }]);
  expect(await open()).toEqual([]);
});

test('a business is screened by its names and its owners', async () => {
  await publish([LISTED]);
  const { tenant, admin, officer } = await screeningTenant();
  const { id, borrower_id } = await newLoan(tenant, { status: 'pending' });
  await officer.put(`/borrowers/${borrower_id}`, { borrower_type: 'business' });
  await officer.post(`/borrowers/${borrower_id}/business-detail`, {
    legal_name: 'Harmless Holdings LLC',
    dba_name: 'Imaginary Trading Ltd',
    entity_type: 'llc',
    beneficial_owners: [{ ...IVAN, ownership_percentage: '0.4' }],
  });

  await screeningOf(tenant, id);
  const hits = (await admin.get('/sanctions-hits')).body;

  expect(hits.map((hit: { listed_name: string }) => hit.listed_name).toSorted()).toEqual([
    'IMAGINARY TRADING',
    'TESTOV, Ivan Petrovich',
  ]);
});

test('screenings reach no other role, no history, no webhook and no other tenant', async () => {
  await publish([LISTED]);
  const { tenant, admin, officer } = await screeningTenant();
  const { id, borrower_id } = await newLoan(tenant, { status: 'pending' });
  await rename(tenant, borrower_id, IVAN);
  await officer.post(`/loans/${id}/approve`);
  const [hit] = (await admin.get('/sanctions-hits')).body;
  await admin.post(`/sanctions-hits/${hit.id}/clear`, { reason: 'Compared the passports.' });
  const other = await (await stage.tenant()).signedIn('admin');

  const forbidden = await Promise.all(
    ['/sanctions-hits', `/sanctions-hits/${hit.id}`, '/sanctions-screenings'].map((path) =>
      officer.get(path),
    ),
  );
  const seen = [
    await officer.get(`/borrowers/${borrower_id}/history`),
    await officer.get(`/loans/${id}/history`),
    await officer.get(`/borrowers/${borrower_id}/tasks`),
    await stage.owner.query('select body from events where tenant_id = $1', [tenant.id]),
    await stage.owner.query('select changes, reason from audit_log where tenant_id = $1', [
      tenant.id,
    ]),
  ].map((answer) => JSON.stringify('rows' in answer ? answer.rows : answer.body));

  expect(forbidden.map(({ status }) => status)).toEqual([403, 403, 403]);
  for (const text of seen)
    for (const word of ['sanction', 'ofac', 'TESTOV, Ivan', 'Compared the passports'])
      expect(text.toLowerCase()).not.toContain(word.toLowerCase());
  expect((await other.get(`/sanctions-hits/${hit.id}`)).status).toBe(404);
});

test('an import that is repeated changes nothing, and an incomplete list is refused', async () => {
  const listed = [LISTED, ...['A', 'B', 'C', 'D'].map((name) => ({ name: `FILLER, ${name}aaa` }))];
  const first = await publish(listed);

  const repeated = await importList(stage, [...OTHERS, ...listed], '2026-01-30');
  const older = [...OTHERS, LISTED, { name: 'NEWCOMER, Neil' }];

  expect(first.entries).toBe(7);
  expect(repeated.new_names).toBe(0);
  await expect(importList(stage, [], '2026-01-30')).rejects.toThrow('no entries');
  await expect(importList(stage, older, '2020-01-01')).rejects.toThrow('already imported');
  await expect(importList(stage, [LISTED], '2026-01-30')).rejects.toThrow('--although smaller');
});

test('the index finds the same names as a comparison with each new name', async () => {
  const listed = ['TESTOV, Ivan', 'TESTOFF, Iwan', 'SAMPLERY, Muhammad', 'FICTIONAL, Abdul Rahman'];
  await publish(listed.map((name) => ({ name })));
  const searched = ['ivan testov', 'mohamed samplery', 'abdulrahman fictional', 'grace hopper'];
  const given = JSON.stringify(
    searched.map((words, subject) => ({ subject, subject_type: 'person', words })),
  );
  const find = async (from: string) => {
    const { rows } = await stage.owner.query<{ subject: number; name: string }>(
      `select distinct subject, name from ${from} order by subject, name`,
      [given],
    );
    return rows.map(({ subject, name }) => [subject, name]);
  };

  const byIndex = await find('app.find_similar_listed_names($1)');
  const byComparison = await find(
    "app.find_similar_new_names($1, '00000000-0000-0000-0000-000000000000')",
  );

  expect(byIndex).toEqual(byComparison);
  expect(byIndex).toEqual([
    [0, 'TESTOFF, Iwan'],
    [0, 'TESTOV, Ivan'],
    [1, 'SAMPLERY, Muhammad'],
    [2, 'FICTIONAL, Abdul Rahman'],
  ]);
});

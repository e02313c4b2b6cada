import { expect, test } from 'vitest';
import { tapeLine, tapeText } from '../setup/boarding-tapes.ts';
import { dumpAllRows } from '../setup/dump-rows.ts';
import { runImports, uploadBook } from '../setup/imports.ts';
import { saveSettings } from '../setup/settings.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

const BOOK = tapeText(
  tapeLine(),
  tapeLine({ loan_number: 'T-2', current_principal_balance: '243.47' }),
  tapeLine({ loan_number: 'T-3', current_principal_balance: '0.00', status: 'paid_off' }),
);
const TOTALS = { loan_count: 3, principal_total: '10000.00' };

async function newLender() {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const upload = async (content = BOOK, fields = {}) => {
    const sent = await uploadBook(admin, content, fields);
    expect(sent.status, JSON.stringify(sent.body)).toBe(201);
    await runImports(stage);
    return sent.body.id as string;
  };
  const read = async (id: string) => (await admin.get(`/imports/${id}`)).body;
  const loans = async () => (await tenant.officer.get('/loans')).body as { id: string }[];
  return { tenant, admin, upload, read, loans };
}

/** The steps of an import in its history, and the status after each. */
async function stepsOf(id: string) {
  const { rows } = await stage.owner.query<{ action: string; status: string | null }>(
    `select action, changes #>> '{status,new}' as status from audit_log
     where entity_type = 'imports' and entity_id = $1 order by created_at, id`,
    [id],
  );
  return rows.map(({ action, status }) => `${action}: ${status}`);
}

test('each step of an import is in its history', async () => {
  const { admin, upload } = await newLender();

  const id = await upload();
  await admin.post(`/imports/${id}/check`);
  await runImports(stage);
  await admin.post(`/imports/${id}/confirm`, TOTALS);
  await admin.post(`/imports/${id}/cancel`);

  expect(await stepsOf(id)).toEqual([
    expect.stringMatching(/^create: /),
    'check: uploaded',
    'confirm: confirmed',
    'cancel: canceled',
  ]);
});

test('an uploaded file is checked, its totals are confirmed, and its loans are boarded with these totals', async () => {
  const { tenant, admin, upload, read, loans } = await newLender();

  const id = await upload();
  const checked = await read(id);
  const loansThen = await loans();
  const confirmed = await admin.post(`/imports/${id}/confirm`, TOTALS);
  await runImports(stage);
  const boarded = await read(id);

  expect(checked).toMatchObject({
    status: 'checked',
    business_date: '2026-01-15',
    loans_total: 3,
    error_count: 0,
    control_totals: [
      { status: 'active', loans: 2, principal: '10000.00', interest: '0.00' },
      { status: 'paid_off', loans: 1, principal: '0.00' },
    ],
  });
  expect(loansThen).toEqual([]);
  expect(confirmed.body).toMatchObject({
    status: 'confirmed',
    confirmed_by: tenant.userIds['admin'],
  });
  expect(boarded).toMatchObject({ status: 'boarded', loans_boarded: 3 });
  expect(boarded.boarded_totals).toEqual(boarded.control_totals);
  expect(await loans()).toHaveLength(3);
  const history = await tenant.officer.get(`/loans/${(await loans())[0]?.id}/history`);
  expect(history.body.map(({ action }: { action: string }) => action)).toContain('board');
});

test('an import with errors is refused by line and column, cannot be confirmed, and writes no loan', async () => {
  const { admin, upload, read, loans } = await newLender();

  const id = await upload(
    tapeText(
      tapeLine(),
      tapeLine({ loan_number: 'T-2', interest_rate: '8.5' }),
      tapeLine({
        loan_number: 'T-3',
        origination_date: '2026-01-16',
        first_payment_date: '2026-02-16',
      }),
      tapeLine({ loan_number: 'T-4', payment_amount: '50.00' }),
    ),
  );
  const refused = await read(id);
  const findings = (await admin.get(`/imports/${id}/findings`)).body;
  const confirmed = await admin.post(`/imports/${id}/confirm`, TOTALS);

  expect(refused).toMatchObject({ status: 'refused', error_count: 2, warning_count: 1 });
  expect(findings).toMatchObject([
    { file: 'loans.csv', line: 3, column_name: 'interest_rate', severity: 'error' },
    { file: 'loans.csv', line: 4, column_name: 'origination_date', severity: 'error' },
    { file: 'loans.csv', line: 5, column_name: 'payment_amount', severity: 'warning' },
  ]);
  expect(confirmed).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(await loans()).toEqual([]);
});

test('totals that differ from the file are refused with those of the file', async () => {
  const { admin, upload, read } = await newLender();
  const id = await upload();

  const confirmed = await admin.post(`/imports/${id}/confirm`, {
    loan_count: 4,
    principal_total: '9999.99',
  });

  expect(confirmed).toMatchObject({
    status: 422,
    body: {
      errors: {
        loan_count: expect.stringContaining('The file has 3 loans.'),
        principal_total: expect.stringContaining(
          'The loans of the file owe 10000.00, 0.01 more than you state. Loans that are charged off do not count.',
        ),
      },
    },
  });
  expect(await read(id)).toMatchObject({ status: 'checked' });
});

test('the same file is the same import before and after boarding; with other options it is another one', async () => {
  const { admin, upload, loans } = await newLender();

  const first = await upload();
  const again = await upload();
  const other = await upload(BOOK, { product_code: 'DEFAULT' });
  await admin.post(`/imports/${first}/confirm`, TOTALS);
  await runImports(stage);
  const afterwards = await uploadBook(admin, BOOK);
  await runImports(stage);
  await admin.post(`/imports/${other}/check`);
  await runImports(stage);

  expect(again).toBe(first);
  expect(other).not.toBe(first);
  expect(afterwards.body).toMatchObject({ id: first, status: 'boarded' });
  expect(await loans()).toHaveLength(3);
  expect((await admin.get(`/imports/${other}`)).body).toMatchObject({ status: 'refused' });
  expect((await admin.get(`/imports/${other}/findings`)).body[0]).toMatchObject({
    code: 'loan_exists',
    line: 2,
  });
});

test('a known borrower is used by the external id, and another name for a known id is an error', async () => {
  const { tenant, admin, upload, read, loans } = await newLender();
  const known = await tenant.officer.post('/borrowers', {
    first_name: 'Ada',
    last_name: 'Lovelace,  countess',
    external_id: 'B-1',
  });

  const refused = await upload(
    tapeText(tapeLine(), tapeLine({ loan_number: 'T-2', borrower_external_id: 'B-2' })).replaceAll(
      'B-1,Ada',
      'B-1,Grace',
    ),
  );
  const id = await upload(tapeText(tapeLine()));
  await admin.post(`/imports/${id}/confirm`, { loan_count: 1, principal_total: '9756.53' });
  await runImports(stage);

  expect(await read(refused)).toMatchObject({ status: 'refused', error_count: 1 });
  expect((await admin.get(`/imports/${refused}/findings`)).body).toMatchObject([
    { line: 2, column_name: 'borrower_external_id', code: 'borrower_name_differs' },
  ]);
  expect(await loans()).toMatchObject([{ borrower_id: known.body.id }]);
  expect(await dumpAllRows(stage.owner)).not.toContain('Grace');
});

test('a second person approves exactly the file and the totals that were confirmed', async () => {
  const { tenant, admin, upload, read } = await newLender();
  const superadmin = await tenant.signedIn('superadmin');
  await saveSettings(tenant, { approvals: { four_eyes: ['imports'] } });
  const id = await upload();

  const asked = await admin.post(`/imports/${id}/confirm`, TOTALS);
  const shown = (await superadmin.get(`/approvals/${asked.body.approval_id}`)).body;
  const own = await admin.post(`/approvals/${asked.body.approval_id}/approve`);
  // The tenant's business date moves, so the file is checked again, with another result.
  await travelTo(stage, tenant, '2026-02-15');
  await admin.post(`/imports/${id}/check`);
  await runImports(stage);
  const outdated = await superadmin.post(`/approvals/${asked.body.approval_id}/approve`);
  const repeated = await admin.post(`/imports/${id}/confirm`, TOTALS);
  const approved = await superadmin.post(`/approvals/${repeated.body.approval_id}/approve`);
  await runImports(stage);

  expect(asked).toMatchObject({ status: 202, body: { kind: 'imports' } });
  expect(shown.content.import).toMatchObject({
    filename: 'loans.csv',
    control_totals: [{ status: 'active', principal: '10000.00' }, { status: 'paid_off' }],
  });
  expect(shown.content.import.sha256_hash).toMatch(/^[0-9a-f]{64}$/);
  expect(own).toMatchObject({ status: 409, body: { code: 'four_eyes' } });
  expect(outdated).toMatchObject({ status: 409, body: { code: 'approval_outdated' } });
  expect(approved.status, JSON.stringify(approved.body)).toBe(200);
  expect(await read(id)).toMatchObject({ status: 'boarded', loans_boarded: 3 });
});

test('a check from an earlier business date must be repeated before the totals are confirmed', async () => {
  const { tenant, admin, upload, read } = await newLender();
  const id = await upload();
  await travelTo(stage, tenant, '2026-01-16');

  const late = await admin.post(`/imports/${id}/confirm`, TOTALS);
  await admin.post(`/imports/${id}/check`);
  await runImports(stage);
  const confirmed = await admin.post(`/imports/${id}/confirm`, TOTALS);

  expect(late).toMatchObject({ status: 409, body: { code: 'check_outdated' } });
  expect(confirmed.status).toBe(200);
  expect(await read(id)).toMatchObject({ business_date: '2026-01-16' });
});

test('an import whose business date moves after the confirmation stops, and is resumed on the new date', async () => {
  const { tenant, admin, upload, read, loans } = await newLender();
  const id = await upload();
  await admin.post(`/imports/${id}/confirm`, TOTALS);
  await travelTo(stage, tenant, '2026-01-16');
  await runImports(stage);
  const stopped = await read(id);
  const loansThen = await loans();

  const resumed = await admin.post(`/imports/${id}/resume`);
  await runImports(stage);

  expect(stopped).toMatchObject({ status: 'failed', loans_boarded: 0 });
  expect(stopped.failure_reason).toContain('moved from 2026-01-15 to 2026-01-16');
  expect(loansThen).toEqual([]);
  expect(resumed.status).toBe(200);
  expect(await read(id)).toMatchObject({ status: 'boarded', loans_boarded: 3 });
});

test('a canceled import boards nothing, its file is removed, and the file can be imported again', async () => {
  const { admin, upload, read, loans } = await newLender();
  const id = await upload();
  await admin.post(`/imports/${id}/confirm`, TOTALS);

  const canceled = await admin.post(`/imports/${id}/cancel`);
  await runImports(stage);
  const again = await admin.post(`/imports/${id}/cancel`);
  const next = await upload();

  expect(canceled.body).toMatchObject({ status: 'canceled' });
  expect(again).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(await loans()).toEqual([]);
  expect(next).not.toBe(id);
  expect(await read(next)).toMatchObject({ status: 'checked' });
});

test('a product that is withdrawn after the check stops the import by line, and it goes on once that is corrected', async () => {
  const { tenant, admin, upload, read, loans } = await newLender();
  const id = await upload();
  await admin.post(`/imports/${id}/confirm`, TOTALS);
  const product = await tenant.first('/products');
  await admin.put(`/products/${product}`, { max_amount: '9999.99' });
  await runImports(stage);
  const stopped = await read(id);
  const findings = (await admin.get(`/imports/${id}/findings`)).body;

  await admin.put(`/products/${product}`, { max_amount: null });
  await admin.post(`/imports/${id}/resume`);
  await runImports(stage);

  expect(stopped).toMatchObject({ status: 'failed', loans_boarded: 0 });
  expect(findings).toMatchObject(
    [2, 3, 4].map((line) => ({ line, column_name: 'principal_amount' })),
  );
  expect(await loans()).toHaveLength(3);
  expect(await read(id)).toMatchObject({ status: 'boarded', failure_reason: null });
  expect(await stepsOf(id)).toContain('resume: confirmed');
});

test('a loan that came with another file after the check stops the import by line', async () => {
  const { admin, upload, read, loans } = await newLender();
  const first = await upload();
  const other = await upload(`${BOOK}\n`);
  for (const id of [other, first]) await admin.post(`/imports/${id}/confirm`, TOTALS);

  await runImports(stage);

  const stopped = [await read(first), await read(other)].find(({ status }) => status === 'failed');
  expect(stopped?.failure_reason).toContain('A loan with this number exists here already.');
  expect(await loans()).toHaveLength(3);
});

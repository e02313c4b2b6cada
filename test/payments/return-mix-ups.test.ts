import { expect, test } from 'vitest';
import { balancesByRole } from '../setup/ledger.ts';
import {
  sliceColumns,
  buildBankFile,
  expectControls,
  ORIGINATOR,
  parseNachaFile,
  buildReturnFile,
  readSentFile,
  readSentEntries,
  newLoanWithAccount,
} from '../setup/nacha.ts';
import { expectLayout, expectReturnLayout } from '../setup/nacha-layout.ts';
import { saveSettings } from '../setup/settings.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

/** Payments of these amounts in one sent file, with their lines in the same order. */
async function sent(tenant: Tenant, amounts: string[]) {
  const admin = await tenant.signedIn('admin');
  const loan = await newLoanWithAccount(tenant);
  const ids: string[] = [];
  for (const amount of amounts) {
    const order = { amount, payment_instrument_id: loan.account };
    ids.push((await tenant.officer.post(`/loans/${loan.id}/payments`, order)).body.id);
  }
  const { filename } = (await admin.post('/nacha-files')).body;
  const found = await readSentEntries(stage, tenant, filename);
  const lines = amounts.map((amount) => {
    const cents = amount.replace('.', '').padStart(10, '0');
    return found.find((line) => sliceColumns(line, 30, 39) === cents) ?? '';
  });
  return {
    admin,
    loan,
    ids,
    lines,
    take: async (file: string) => (await admin.post('/nacha-returns', { file })).body.entries,
    statuses: () =>
      Promise.all(ids.map(async (id) => (await admin.get(`/payments/${id}`)).body.status)),
    tasks: async () =>
      (
        (await tenant.officer.get('/tasks?source=system')).body as {
          title: string;
        }[]
      ).map(({ title }) => title),
  };
}

const statusesOf = (entries: { status: string }[]) => entries.map(({ status }) => status);

/** All return records in one batch, as some banks send them. */
function inOneBatch(file: string) {
  const records = file.split('\n').filter((line) => /^[67]/.test(line));
  return `${buildBankFile(records).join('\n')}\n`;
}

test('a file of another company at the same bank books nothing, even with the same numbers', async () => {
  const ours = await stage.tenant('2026-01-15');
  const other = await stage.tenant('2026-01-15');
  await saveSettings(other, { nacha: { ...ORIGINATOR, company_id: '1987654321' } });
  const [mine, theirs] = [await sent(ours, ['100.00']), await sent(other, ['100.00'])];
  const answer = buildReturnFile([mine.lines[0] ?? '', 'R01']);

  const strayed = await theirs.take(answer);
  const before = await theirs.statuses();
  const taken = await mine.take(answer);

  expect(sliceColumns(mine.lines[0] ?? '', 80, 94)).toBe(
    sliceColumns(theirs.lines[0] ?? '', 80, 94),
  );
  expect(strayed).toMatchObject([{ status: 'unknown', payment_id: null }]);
  expect([before, await theirs.tasks()]).toEqual([['completed'], []]);
  expect(statusesOf(taken)).toEqual(['returned']);
  expect(await mine.statuses()).toEqual(['returned']);
});

test('an entry for another receiver is not booked, and creates one task', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { lines, take, statuses, tasks } = await sent(tenant, ['100.00']);
  const line = lines[0] ?? '';
  const strange = `${line.slice(0, 39)}${'R-OTHER'.padEnd(15)}${line.slice(54)}`;
  const unnamed = `${line.slice(0, 39)}${' '.repeat(15)}${line.slice(54)}`;

  const first = await take(buildReturnFile([strange, 'R01']));
  await take(buildReturnFile([strange, 'R01']));
  const notice = await take(buildReturnFile([strange, 'C02', '121000248']));
  const before = await statuses();
  const taken = await take(buildReturnFile([unnamed, 'R01']));

  expect([...statusesOf(first), ...statusesOf(notice)]).toEqual([
    'receiver_differs',
    'receiver_differs',
  ]);
  expect(before).toEqual(['completed']);
  expect(await tasks()).toEqual([
    'C02 names a different receiver: ask the bank',
    'R01 names a different receiver: ask the bank',
  ]);
  // A bank may leave the field empty.
  expect(statusesOf(taken)).toEqual(['returned']);
});

test('returns that arrive twice, reordered, in one batch or concurrently are booked once', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { admin, lines, take, statuses } = await sent(tenant, ['100.00', '200.00', '300.00']);
  const [first = '', second = '', third = ''] = lines;

  const twice = await take(
    inOneBatch(buildReturnFile([second, 'R01'], [first, 'R02'], [second, 'R01'])),
  );
  const books = await balancesByRole(tenant);
  const again = await take(buildReturnFile([first, 'R02'], [second, 'R10']));
  const unchanged = await balancesByRole(tenant);
  const simultaneous = await Promise.all(
    Array.from({ length: 4 }, () =>
      admin.post('/nacha-returns', { file: buildReturnFile([third, 'R09']) }),
    ),
  );

  expect(statusesOf(twice)).toEqual(['returned', 'returned', 'already_returned']);
  expect(statusesOf(again)).toEqual(['already_returned', 'already_returned']);
  expect(unchanged).toEqual(books);
  expect(
    simultaneous
      .flatMap(({ body }) => statusesOf(body.entries))
      .toSorted((one, two) => (one < two ? -1 : 1)),
  ).toEqual(['already_returned', 'already_returned', 'already_returned', 'returned']);
  expect(await statuses()).toEqual(['returned', 'returned', 'returned']);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a manually returned payment is not returned again by the bank’s file', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { admin, ids, lines, take, loan } = await sent(tenant, ['100.00']);
  const reversed = await admin.post(`/payments/${ids[0]}/reverse`, { reason: 'duplicate' });
  const before = (await admin.get(`/loans/${loan.id}`)).body;

  const taken = await take(buildReturnFile([lines[0] ?? '', 'R01']));

  const after = (await admin.get(`/loans/${loan.id}`)).body;
  expect(reversed.status, JSON.stringify(reversed.body)).toBe(200);
  expect(statusesOf(taken)).toEqual(['returned']);
  for (const field of ['principal_balance', 'fees_balance', 'suspense_balance', 'total_balance'])
    expect([field, after[field]]).toEqual([field, before[field]]);
  expect(await violationsIn(stage)).toEqual([]);
});

test.each([
  ['C10', 'ACME LENDING LLC', 'nacha.company_name'],
  ['C11', '1234567899', 'nacha.company_id'],
  ['C12', 'ACME LENDING LLC   1234567899', 'nacha.company_name, nacha.company_id'],
])('%s corrects our company, so its task names the settings', async (code, data, named) => {
  const tenant = await stage.tenant('2026-01-15');
  const { lines, take, admin, tasks } = await sent(tenant, ['100.00']);

  const taken = await take(buildReturnFile([lines[0] ?? '', code, data]));
  const [notice] = (await admin.get('/change-notices')).body;
  const applied = await admin.post(`/change-notices/${notice.id}/apply`);

  expect(statusesOf(taken)).toEqual(['change_notice']);
  expect(await tasks()).toEqual([expect.stringContaining(`(${named})`)]);
  expect((await tasks())[0]).toMatch(/^Settings: /);
  expect(applied).toMatchObject({ status: 409, body: { code: 'nothing_to_apply' } });
});

test('files in both directions follow the layout of every field', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { admin, lines } = await sent(tenant, ['100.00', '200.00']);
  const [file] = (await admin.get('/nacha-files')).body;
  const parsed = parseNachaFile(await readSentFile(stage, tenant, file.filename));

  const answer = buildReturnFile([lines[0] ?? '', 'R01'], [lines[1] ?? '', 'C01', '000987654321']);

  expectLayout(parsed.lines);
  expectControls(parsed);
  expectReturnLayout(answer.split('\n').slice(0, -1));
});

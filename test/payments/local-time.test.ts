import { expect, test } from 'vitest';
import { localDateTime } from '../../jobs/dates.ts';
import { findLocaleProblems } from '../../jobs/users/settings/tenant-locale.ts';
import {
  fileLines,
  newReportingTenant,
  runCreditReports,
  newReportedLoan,
} from '../setup/credit-reporting.ts';
import { newLoanWithAccount, parseNachaFile, readSentFile, sliceColumns } from '../setup/nacha.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

/** Zones at the ends of the calendar, with half hours, and with daylight saving time. */
const ZONES = [
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'America/St_Johns',
  'Asia/Kolkata',
  'Europe/Berlin',
];

const moveTo = (tenant: Tenant, zone: string) =>
  stage.owner.query('update tenants set time_zone = $2 where id = $1', [tenant.id, zone]);

const createdAt = async (table: string, id: string) => {
  const { rows } = await stage.owner.query(`select created_at from ${table} where id = $1`, [id]);
  return rows[0].created_at as Date;
};

test('the local time of a moment follows its zone on both sides of midnight and of daylight saving', () => {
  const at = (moment: string, zone: string) => localDateTime(new Date(moment), zone);

  // UTC+14 and UTC-11: the same moment is on two dates.
  expect(at('2025-12-31T10:30:05Z', 'Pacific/Kiritimati')).toBe('2026-01-01T00:30:05');
  expect(at('2026-01-01T10:59:59Z', 'Pacific/Pago_Pago')).toBe('2025-12-31T23:59:59');
  // UTC+5:30 and UTC-3:30.
  expect(at('2026-01-15T18:29:59Z', 'Asia/Kolkata')).toBe('2026-01-15T23:59:59');
  expect(at('2026-01-15T03:30:00Z', 'America/St_Johns')).toBe('2026-01-15T00:00:00');
  // On March 29, 2026, 02:00 becomes 03:00. On October 25, 03:00 becomes 02:00.
  expect(at('2026-03-29T00:59:59Z', 'Europe/Berlin')).toBe('2026-03-29T01:59:59');
  expect(at('2026-03-29T01:00:00Z', 'Europe/Berlin')).toBe('2026-03-29T03:00:00');
  expect(at('2026-10-25T00:30:00Z', 'Europe/Berlin')).toBe('2026-10-25T02:30:00');
  expect(at('2026-10-25T01:30:00Z', 'Europe/Berlin')).toBe('2026-10-25T02:30:00');
});

/** Names that Node knows besides those that it lists. */
const OTHER_NAMES =
  'Asia/Calcutta Asia/Kolkata Europe/Kyiv Etc/GMT+12 Etc/UTC US/Eastern US/Pacific-New SystemV/EST5 EST +05:30'.split(
    ' ',
  );

test('Postgres knows every time zone that a tenant may have', async () => {
  const { rows } = await stage.owner.query('select name from pg_timezone_names');
  const known = new Set(rows.map(({ name }) => name as string));
  const names = [...Intl.supportedValuesOf('timeZone'), ...OTHER_NAMES];

  const allowed = names.filter((time_zone) => !('time_zone' in findLocaleProblems({ time_zone })));

  expect(allowed).toEqual(expect.arrayContaining([...ZONES, 'Asia/Calcutta', 'Etc/GMT+12']));
  expect(allowed.filter((name) => !known.has(name))).toEqual([]);
  expect(allowed).not.toContain('US/Pacific-New');
});

test.each(ZONES)('a bank file states the time in %s at which it was made', async (zone) => {
  const tenant = await stage.tenant('2026-01-15');
  await moveTo(tenant, zone);
  const admin = await tenant.signedIn('admin');
  const loan = await newLoanWithAccount(tenant);
  await tenant.officer.post(`/loans/${loan.id}/payments`, {
    amount: '20.00',
    payment_instrument_id: loan.account,
  });

  const made = await admin.post('/nacha-files');
  const { header } = parseNachaFile(await readSentFile(stage, tenant, made.body.filename));

  const local = localDateTime(await createdAt('nacha_files', made.body.id), zone);
  expect(sliceColumns(header, 24, 29)).toBe('260115');
  expect(sliceColumns(header, 30, 33)).toBe(local.slice(11, 16).replace(':', ''));
});

test.each(ZONES)(
  'a bureau file states the date and time in %s at which it was made',
  async (zone) => {
    const tenant = await newReportingTenant(stage, '2026-01-15');
    await moveTo(tenant, zone);
    const admin = await tenant.signedIn('admin');
    await newReportedLoan(tenant);
    await travelTo(stage, tenant, '2026-02-01');
    await runCreditReports(stage);

    const made = await admin.post('/credit-reporting-files');
    const [header = '', record = ''] = await fileLines(stage, tenant, made.body.filename);

    const local = localDateTime(await createdAt('credit_reporting_files', made.body.id), zone);
    const [year = '', month = '', day = ''] = local.slice(0, 10).split('-');
    const date = `${month}${day}${year}`;
    expect(sliceColumns(header, 48, 55)).toBe('01312026');
    expect(sliceColumns(header, 56, 63)).toBe(date);
    expect(sliceColumns(record, 6, 19)).toBe(`${date}${local.slice(11).replaceAll(':', '')}`);
  },
);

import { expect, test } from 'vitest';
import { metro2File } from '../../../jobs/loans/reporting/metro2/write-metro2.ts';
import {
  makeReportable,
  newReportedLoan,
  creditRecords,
  runCreditReports,
  newReportingTenant,
} from '../../setup/credit-reporting.ts';
import { newLoan } from '../../setup/loans.ts';
import { expectMetro2 } from '../../setup/metro2-layout.ts';
import { travelTo } from '../../setup/queue.ts';
import { readSealedFile } from '../../setup/sealed-files.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

/** Columns count from one, as in the Credit Reporting Resource Guide. */
const at = (line: string, from: number, to: number) => line.slice(from - 1, to);

test('a file has a header, a segment of 426 characters per record, and a trailer with counts', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const admin = await tenant.signedIn('admin');
  const loan = await newLoan(tenant);
  await newReportedLoan(tenant);
  const { officer } = tenant;
  await officer.put(`/borrowers/${loan.borrower_id}`, {
    date_of_birth: '1980-12-09',
    middle_name: 'Brewster',
    suffix: 'Jr.',
  });
  await officer.post(`/borrowers/${loan.borrower_id}/addresses`, {
    street_line_1: '10 Käfer Street',
    city: 'Arlington',
    state: 'VA',
    postal_code: '22201-1234',
    residence_code: 'O',
  });
  await officer.post(`/borrowers/${loan.borrower_id}/phones`, { phone_number: '+17035550123' });
  await travelTo(stage, tenant, '2026-02-03');
  await runCreditReports(stage);

  const made = await admin.post('/credit-reporting-files');
  const again = await admin.post('/credit-reporting-files');
  const forbidden = await officer.get('/credit-reporting-files');
  const { filename } = made.body;
  const lines = (await readSealedFile(stage, tenant, 'credit_reporting_files', filename)).split(
    '\n',
  );
  const [record] = await creditRecords(tenant, loan.id);
  expectMetro2(lines.slice(0, -1));

  expect(made, JSON.stringify(made.body)).toMatchObject({
    status: 201,
    body: { reporting_period: '2026-01-31', record_count: 2, status: 'completed' },
  });
  expect(again).toMatchObject({ status: 409, body: { code: 'nothing_to_send' } });
  expect(forbidden.status).toBe(403);
  expect(lines.pop()).toBe('');
  expect(lines.map(({ length }) => length)).toEqual([426, 426, 426, 426]);
  const [header = '', , , trailer = ''] = lines;
  const line = lines.find(
    (text) =>
      at(text, 43, 72).trim() === String(record?.['consumer_account_number']).replaceAll('-', ''),
  );
  const field = (from: number, to: number) => at(line ?? '', from, to);
  expect([at(header, 1, 10), at(header, 23, 32), at(header, 33, 37), at(header, 48, 55)]).toEqual([
    '0426HEADER',
    '155AB12345',
    'A1234',
    '01312026',
  ]);
  expect(at(header, 80, 119).trim()).toBe('ACME LENDING');
  expect(at(header, 216, 225)).toBe('2175550100');
  expect(field(1, 5)).toBe('04261');
  expect(field(73, 83)).toBe('I0101152026');
  expect(field(93, 105)).toBe('000010000036M');
  expect([field(106, 114), field(124, 126), field(127, 150)]).toEqual([
    '000000315',
    '11 ',
    'B'.repeat(24),
  ]);
  expect(field(155, 163)).toBe('000010039');
  expect([field(182, 189), field(190, 197), field(214, 214)]).toEqual([
    '01312026',
    '00000000',
    'F',
  ]);
  expect([field(232, 256), field(257, 276), field(277, 297)].map((text) => text.trim())).toEqual([
    'HOPPER',
    'GRACE',
    'BREWSTER            J',
  ]);
  expect([field(298, 306), field(307, 314), field(315, 324), field(325, 325)]).toEqual([
    '000000000',
    '12091980',
    '7035550123',
    '1',
  ]);
  expect([field(328, 329), field(330, 361).trim(), field(394, 413).trim()]).toEqual([
    'US',
    '10 KAFER STREET',
    'ARLINGTON',
  ]);
  expect([field(414, 415), field(416, 424), field(426, 426)]).toEqual(['VA', '222011234', 'O']);
  expect(at(trailer, 1, 11)).toBe('0426TRAILER');
  // Counts of records, blocks, status 11, dates of birth (all and in base segments) and telephones.
  expect(
    [
      [12, 20],
      [57, 65],
      [84, 92],
      [363, 371],
      [372, 380],
      [399, 407],
    ].map(([from = 0, to = 0]) => Number(at(trailer, from, to))),
  ).toEqual([2, 4, 2, 2, 2, 1]);
  expect(
    at(trailer, 12, 407)
      .match(/.{9}/g)
      ?.map(Number)
      .reduce((one, other) => one + other),
  ).toBe(13);
  expect(record).toMatchObject({ status: 'reported', file_id: made.body.id });
});

test('a co-borrower follows the account in the file, and appears one last time when released', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-30');
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  const { id, borrower_id } = await newLoan(tenant);
  const home = { street_line_1: '1 Main Street', city: 'Arlington', state: 'VA' };
  const live = (who: string, postal_code: string) =>
    officer.post(`/borrowers/${who}/addresses`, { ...home, postal_code });
  const beside = async (last_name: string, role: string, postal_code: string) => {
    const born = { first_name: 'Ada', last_name, date_of_birth: '1985-12-10' };
    const { body } = await officer.post('/borrowers', born);
    await live(body.id, postal_code);
    return officer.post(`/loans/${id}/co-borrowers`, { borrower_id: body.id, role });
  };
  await makeReportable(tenant, borrower_id);
  await beside('Lovelace', 'co_borrower', '22201');
  const signer = await beside('Byron', 'co_signer', '10001');
  const fileOf = async () => {
    await runCreditReports(stage);
    const { filename } = (await admin.post('/credit-reporting-files')).body;
    const text = await readSealedFile(stage, tenant, 'credit_reporting_files', filename);
    expectMetro2(text.split('\n').slice(0, -1));
    return text.split('\n');
  };

  await travelTo(stage, tenant, '2026-02-01');
  const [, line = '', trailer = ''] = await fileOf();
  await officer.post(`/co-borrowers/${signer.body.id}/release`, { reason: 'lender_release' });
  await travelTo(stage, tenant, '2026-03-01');
  const [, later = ''] = await fileOf();
  const [record] = await creditRecords(tenant, id);

  const [j1, j2] = [line.slice(426, 526), line.slice(526)];
  expect([line.length, at(line, 1, 5), at(line, 325, 325)]).toEqual([726, '07261', '2']);
  expect([j1, j2].map((text) => at(text, 1, 28).trim())).toEqual(['J1 LOVELACE', 'J2 BYRON']);
  expect([at(j1, 79, 86), at(j1, 97, 97)]).toEqual(['12101985', '2']);
  expect([j2.length, at(j2, 97, 97), at(j2, 102, 133).trim()]).toEqual([200, '5', '1 MAIN STREET']);
  expect(at(j2, 188, 196)).toBe('10001    ');
  // Counts of J1 and J2 segments and of dates of birth: all, in base, in J1 and in J2 segments.
  const counted = [39, 48, 363, 372, 381, 390].map((from) => Number(at(trailer, from, from + 8)));
  expect(counted).toEqual([1, 1, 3, 1, 1, 1]);
  expect(record?.['co_consumers']).toMatchObject([{ ecoa_code: '2' }, { ecoa_code: 'T' }]);
  expect(at(later, 523, 523)).toBe('2');
  expect(at(later.slice(526), 97, 97)).toBe('T');
});

test('a file without records is a header and a trailer', () => {
  const reporter = {
    reporter_name: 'A',
    reporter_address: '',
    reporter_phone: '',
    innovis: '',
    equifax: '',
    experian: '',
    transunion: '',
    identification_number: 'ACME01',
  };
  const facts = { activity_date: '2026-01-31', created_at: '2026-02-01T00:00:00.000Z' };

  const lines = metro2File(reporter, facts, []).split('\n');

  expect(lines.map(({ length }) => length)).toEqual([426, 426, 0]);
});

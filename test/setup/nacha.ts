import { expect } from 'vitest';
import type { Client } from './client.ts';
import { newLoan } from './loans.ts';
import { readSealedFile } from './sealed-files.ts';
import type { Stage, Tenant } from './world.ts';

export const ORIGINATOR = {
  immediate_destination: '091000019',
  immediate_destination_name: 'Settling Bank',
  immediate_origin: '1234567890',
  immediate_origin_name: 'Acme Lending',
  company_name: 'Acme Lending',
  company_id: '1234567890',
  odfi_routing_number: '091000019',
};

/** Adds an account that bank files can reach. Returns its id. */
export async function addBankAccount(
  officer: Client,
  borrowerId: string,
  account: Record<string, unknown> = {},
): Promise<string> {
  const added = await officer.post(`/borrowers/${borrowerId}/payment-instruments`, {
    account_holder_name: 'Grace Hopper',
    routing_number: '021000021',
    account_number: '000123456789',
    account_type: 'checking',
    ...account,
  });
  expect(added.status, JSON.stringify(added.body)).toBe(201);
  return added.body.id as string;
}

/** An account verified by an admin, so that money may be paid to it. */
export async function addVerifiedAccount(
  tenant: Tenant,
  borrowerId: string,
  account: Record<string, unknown> = {},
) {
  const admin = await tenant.signedIn('admin');
  return addBankAccount(admin, borrowerId, { is_verified: true, ...account });
}

/** A loan whose borrower has a verified account. */
export async function newLoanWithAccount(tenant: Tenant, wish: Record<string, unknown> = {}) {
  const loan = await newLoan(tenant, wish);
  return { ...loan, account: await addVerifiedAccount(tenant, loan.borrower_id) };
}

/** The id of the created record. A refused request fails the test. */
export function createdId({ status, body }: { status: number; body: Record<string, unknown> }) {
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return body['id'] as string;
}

/** Columns count from one, as in the Nacha Operating Rules. */
export const sliceColumns = (line: string, from: number, to: number) => line.slice(from - 1, to);

type Batch = { header: string; entries: string[]; control: string };

/** An independent reader that knows columns and sums. It shares no code with the file writer. */
export function parseNachaFile(text: string) {
  const lines = text.split('\r\n');
  expect(lines.pop()).toBe('');
  expect(lines.length % 10).toBe(0);
  for (const line of lines) expect(line).toMatch(/^[\x20-\x7e]{94}$/);
  const batches: Batch[] = [];
  for (const line of lines.slice(1)) {
    if (line.startsWith('5')) batches.push({ header: line, entries: [], control: '' });
    const batch = batches.at(-1);
    if (batch && line.startsWith('6')) batch.entries.push(line);
    if (batch && line.startsWith('8')) batch.control = line;
  }
  const control = lines.find((line) => line.startsWith('9')) ?? '';
  const padding = lines.slice(lines.indexOf(control) + 1);
  expect(padding).toEqual(padding.map(() => '9'.repeat(94)));
  expect(padding.length).toBeLessThan(10);
  return { lines, header: lines[0] ?? '', batches, control };
}

const isCredit = (entry: string) => ['22', '32'].includes(sliceColumns(entry, 2, 3));
const centsOf = (entries: string[]) =>
  entries.reduce((whole, entry) => whole + Number(sliceColumns(entry, 30, 39)), 0);
const hashOf = (entries: string[]) =>
  entries.reduce((whole, entry) => whole + Number(sliceColumns(entry, 4, 11)), 0) % 10 ** 10;

/** Expects the file's control records to match its content. */
export function expectControls({ lines, batches, control }: ReturnType<typeof parseNachaFile>) {
  const all = batches.flatMap(({ entries }) => entries);
  const totals = (entries: string[]) => [
    hashOf(entries),
    centsOf(entries.filter((entry) => !isCredit(entry))),
    centsOf(entries.filter(isCredit)),
  ];
  batches.forEach(({ header, entries, control: end }, index) => {
    expect(Number(sliceColumns(header, 88, 94))).toBe(index + 1);
    expect(sliceColumns(end, 88, 94)).toBe(sliceColumns(header, 88, 94));
    expect(sliceColumns(end, 2, 4)).toBe(sliceColumns(header, 2, 4));
    expect(sliceColumns(end, 45, 54)).toBe(sliceColumns(header, 41, 50));
    expect(sliceColumns(end, 80, 87)).toBe(sliceColumns(header, 80, 87));
    expect(Number(sliceColumns(end, 5, 10))).toBe(entries.length);
    expect(
      [sliceColumns(end, 11, 20), sliceColumns(end, 21, 32), sliceColumns(end, 33, 44)].map(Number),
    ).toEqual(totals(entries));
    const traces = entries.map((entry) => sliceColumns(entry, 80, 94));
    expect(traces).toEqual(traces.toSorted((one, other) => (one < other ? -1 : 1)));
    expect(new Set(entries.map(isCredit)).size).toBe(1);
    expect(sliceColumns(header, 2, 4)).toBe(isCredit(entries[0] ?? '') ? '220' : '225');
  });
  expect(Number(sliceColumns(control, 2, 7))).toBe(batches.length);
  expect(Number(sliceColumns(control, 8, 13))).toBe(lines.length / 10);
  expect(Number(sliceColumns(control, 14, 21))).toBe(all.length);
  expect(
    [
      sliceColumns(control, 22, 31),
      sliceColumns(control, 32, 43),
      sliceColumns(control, 44, 55),
    ].map(Number),
  ).toEqual(totals(all));
  expect(sliceColumns(control, 56, 94).trim()).toBe('');
}

/** The text of a stored file. */
export const readSentFile = (
  stage: Pick<Stage, 'installation' | 'owner'>,
  tenant: Pick<Tenant, 'slug'>,
  filename: string,
) => readSealedFile(stage, tenant, 'nacha_files', filename);

/** The entries of a stored file, one per line. */
export const readSentEntries = async (...of: Parameters<typeof readSentFile>) =>
  parseNachaFile(await readSentFile(...of)).batches.flatMap(({ entries }) => entries);

/** A bank's return file: the returned entries, each with its addenda, in their own batch. */
export const buildReturnFile = (
  ...entries: (readonly [entry: string, code: string, data?: string])[]
) =>
  buildBankFile(
    ...entries.map(([entry, code, data]) => [returnEntry(entry), addendaOf(entry, code, data)]),
  )
    .map((line) => `${line}\n`)
    .join('');

/** The transaction code of a return names the side of the account. */
const returnEntry = (entry: string) =>
  `6${sliceColumns(entry, 2, 2)}${isCredit(entry) ? '1' : '6'}${sliceColumns(entry, 4, 78)}1${sliceColumns(entry, 80, 94)}`;

const addendaOf = (entry: string, code: string, data = '') =>
  `7${code.startsWith('C') ? '98' : '99'}${code}${sliceColumns(entry, 80, 94)}${' '.repeat(6)}${sliceColumns(entry, 4, 11)}${data.padEnd(44)}021000020000001`;

/** The records of a bank's file with correct control records. Each group of records is a batch. */
export function buildBankFile(...batches: string[][]): string[] {
  const entriesOf = (lines: string[]) => lines.filter((line) => line.startsWith('6'));
  const isReturnedCredit = (line: string) => sliceColumns(line, 3, 3) < '5';
  const cents = (lines: string[]) => String(centsOf(lines)).padStart(12, '0');
  const sums = (lines: string[]) => {
    const entries = entriesOf(lines);
    return [
      String(hashOf(entries)).padStart(10, '0'),
      cents(entries.filter((line) => !isReturnedCredit(line))),
      cents(entries.filter(isReturnedCredit)),
    ].join('');
  };
  const all = batches.flat();
  const count = (value: number, width: number) => String(value).padStart(width, '0');
  const records = batches.flatMap((lines, index) => {
    const tail = `02100002${count(index + 1, 7)}`;
    return [
      `5200${'ACME LENDING'.padEnd(36)}1234567890PPD${'LOAN PMT'.padEnd(10)}260217260218   1${tail}`,
      ...lines,
      `8200${count(lines.length, 6)}${sums(lines)}${'1234567890'.padEnd(35)}${tail}`,
    ];
  });
  const blocks = Math.ceil((records.length + 2) / 10);
  const file = [
    `1011234567890 0910000192602190930A094101${'ACME LENDING'.padEnd(23)}${'SETTLING BANK'.padEnd(31)}`,
    ...records,
    `9${count(batches.length, 6)}${count(blocks, 6)}${count(all.length, 8)}${sums(all)}${' '.repeat(39)}`,
  ];
  while (file.length % 10 > 0) file.push('9'.repeat(94));
  return file;
}

import { Invalid } from '../../errors.ts';
import { splitRecords, type BankRecord } from './bank-records.ts';

/** An entry with its batch header and its addenda records. */
export type BankEntry = { batch: BankRecord; record: BankRecord; addenda: BankRecord[] };

type Batch = { header: BankRecord; entries: BankEntry[] };
type Totals = { records: number; hash: bigint; debits: bigint; credits: bigint };

const BLOCKING_FACTOR = 10;
const HASH_MODULUS = 10n ** 10n;
const FILLER = /^9{94}$/;

/**
 * Reads a file from a bank and checks it against its own control records (Nacha Operating Rules, Appendix
 * Three): counts, entry hash and totals of each batch and of the file. Throws `Invalid` with the line and
 * the field if the file was truncated or altered.
 */
export function readBankFile(text: string): BankEntry[] {
  const records = splitRecords(text);
  const [header, ...rest] = records;
  if (header?.text.startsWith('1') !== true)
    throw invalidRecord(header, 'is not a file header. Send the whole file as the bank made it');
  const end = rest.findIndex(({ text }) => text.startsWith('9') && !FILLER.test(text));
  const control = rest[end];
  if (control === undefined)
    throw invalidRecord(
      rest.at(-1) ?? header,
      'is the last record, but the file control is missing',
    );
  const after = rest.slice(end + 1).find(({ text }) => !FILLER.test(text));
  if (after !== undefined)
    throw invalidRecord(after, 'comes after the file control. Send one file at a time');
  const body = readBatches(rest.slice(0, end), control);
  checkControl(control, FILE_CONTROL, {
    ...body.totals,
    batches: body.batches,
    blocks: Math.ceil((end + 2) / BLOCKING_FACTOR),
  });
  return body.entries;
}

const invalidRecord = (record: BankRecord | undefined, problem: string) =>
  new Invalid({ file: `Line ${record?.line ?? 1} ${problem}.` });

/**
 * Reads the batches between the file's header and its control, and checks each batch against its control.
 */
function readBatches(records: readonly BankRecord[], end: BankRecord) {
  const entries: BankEntry[] = [];
  const totals = zeroTotals();
  let batches = 0;
  let open: Batch | null = null;
  for (const record of records) {
    const kind = record.text[0];
    if (kind === '5') {
      if (open !== null)
        throw invalidRecord(record, 'begins a batch before the control of the last one');
      open = { header: record, entries: [] };
    } else if (open === null) {
      throw invalidRecord(record, 'belongs to no batch');
    } else if (kind === '6') {
      open.entries.push({ batch: open.header, record, addenda: [] });
    } else if (kind === '7') {
      const entry = open.entries.at(-1);
      if (entry === undefined) throw invalidRecord(record, 'belongs to no entry');
      entry.addenda.push(record);
    } else if (kind === '8') {
      const sums = sumBatch(open);
      checkBatch(open, record, sums);
      add(totals, sums);
      entries.push(...open.entries);
      batches += 1;
      open = null;
    } else {
      throw invalidRecord(record, `begins with "${kind}", which is no type of record`);
    }
  }
  if (open !== null) throw invalidRecord(end, 'ends the file before the control of its last batch');
  return { entries, totals, batches };
}

const zeroTotals = (): Totals => ({ records: 0, hash: 0n, debits: 0n, credits: 0n });

function add(totals: Totals, more: Totals) {
  totals.records += more.records;
  totals.hash += more.hash;
  totals.debits += more.debits;
  totals.credits += more.credits;
}

/**
 * The second digit of a transaction code is 5 or more for debits. 1 and 6 are returns of credits and
 * debits.
 */
const isDebit = (record: BankRecord) => (record.text[2] ?? '') >= '5';

function sumBatch({ entries }: Batch): Totals {
  const totals = zeroTotals();
  for (const { record, addenda } of entries) {
    const cents = numberAt(record, 'amount', 30, 39);
    add(totals, {
      records: 1 + addenda.length,
      hash: numberAt(record, 'receiving bank', 4, 11),
      debits: isDebit(record) ? cents : 0n,
      credits: isDebit(record) ? 0n : cents,
    });
  }
  return totals;
}

/** The first and last column of a field, counted from one. */
type Columns = readonly [from: number, to: number];
type ControlFields = {
  records: Columns;
  hash: Columns;
  debits: Columns;
  credits: Columns;
  batches?: Columns;
  blocks?: Columns;
};
const BATCH_CONTROL: ControlFields = {
  records: [5, 10],
  hash: [11, 20],
  debits: [21, 32],
  credits: [33, 44],
};
const FILE_CONTROL: ControlFields = {
  batches: [2, 7],
  blocks: [8, 13],
  records: [14, 21],
  hash: [22, 31],
  debits: [32, 43],
  credits: [44, 55],
};
const NAMES: Readonly<Record<keyof ControlFields, string>> = {
  records: 'entry and addenda count',
  hash: 'entry hash',
  debits: 'total of debits',
  credits: 'total of credits',
  batches: 'batch count',
  blocks: 'block count',
};

function checkBatch({ header }: Batch, control: BankRecord, sums: Totals) {
  const same = (name: string, [from, to]: Columns, [controlFrom, controlTo]: Columns) => {
    const [begun, ended] = [fieldAt(header, from, to), fieldAt(control, controlFrom, controlTo)];
    if (begun !== ended)
      throw invalidRecord(
        control,
        `closes another batch: its ${name} is "${ended}", and "${begun}" in the header`,
      );
  };
  same('service class', [2, 4], [2, 4]);
  same('batch number', [88, 94], [88, 94]);
  checkControl(control, BATCH_CONTROL, sums);
}

type Counted = Totals & { batches?: number; blocks?: number };

function checkControl(control: BankRecord, fields: ControlFields, counted: Counted) {
  for (const [name, columns] of Object.entries(fields)) {
    const field = name as keyof ControlFields;
    const stated = numberAt(control, NAMES[field], ...columns);
    const found = BigInt(counted[field] ?? 0);
    if (stated !== (field === 'hash' ? found % HASH_MODULUS : found))
      throw invalidRecord(control, differs(field, stated, found % HASH_MODULUS));
  }
}

const differs = (field: keyof ControlFields, stated: bigint, found: bigint) =>
  `does not add up: its ${NAMES[field]} is ${stated}, and the records give ${found}. ` +
  'Fetch the file from the bank again';

function numberAt(record: BankRecord, name: string, from: number, to: number): bigint {
  const digits = fieldAt(record, from, to);
  if (!/^\d+$/.test(digits))
    throw invalidRecord(record, `has no ${name} in columns ${from} to ${to}`);
  return BigInt(digits);
}

/** A field by its first and last column, counted from one as in the Nacha rules. */
export const fieldAt = ({ text }: BankRecord, from: number, to: number) => text.slice(from - 1, to);

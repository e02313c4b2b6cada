import { Big } from 'big.js';
import { toAscii } from '../../ascii.ts';
import { money, sum } from '../../money.ts';

/** The originator, as agreed between the tenant and its bank (settings, `nacha`). */
export type Originator = {
  immediate_destination: string;
  immediate_destination_name: string;
  immediate_origin: string;
  immediate_origin_name: string;
  company_name: string;
  company_id: string;
  odfi_routing_number: string;
};

export type NachaEntry = {
  /** Entries with the same class code, service class and description share a batch. */
  batch: string;
  transaction_code: string;
  routing_number: string;
  account_number: string;
  amount: string;
  individual_id: string;
  individual_name: string;
  trace_number: string;
  /** Whether autopay drew the payment. */
  is_recurring: boolean;
};

export type NachaFileHeader = {
  file_date: string;
  /** HHMM in the tenant's time zone, like the dates. */
  file_time: string;
  file_id_modifier: string;
  effective_entry_date: string;
};

const WIDTH = 94;
const BLOCKING_FACTOR = 10;
const HASH_DIGITS = 10;

/**
 * The class code (PPD, CCD or WEB), the service class (220 credits, 225 debits) and the description on the
 * receiver's statement.
 */
export const batchKey = (sec: string, serviceClass: '220' | '225', description: string) =>
  `${sec}${serviceClass}${description}`;
const partsOf = (batch: string) => ({
  sec: batch.slice(0, 3),
  service_class: batch.slice(3, 6),
  description: batch.slice(6),
});

/**
 * Renders a file by the Nacha Operating Rules (Appendix Three): records of 94 characters, a header and a
 * control record around each batch and around the file, padded with nines to blocks of ten records.
 */
export function renderNachaFile(
  originator: Originator,
  facts: NachaFileHeader,
  entries: readonly NachaEntry[],
) {
  const batches = Map.groupBy(entries, ({ batch }) => batch);
  const lines = [fileHeader(originator, facts)];
  [...batches].forEach(([batch, own], index) => {
    const number = digits(index + 1, 7);
    lines.push(batchHeader(originator, facts, batch, number));
    lines.push(...own.map((entry) => entryDetail(entry)));
    lines.push(batchControl(originator, batch, number, own));
  });
  const blocks = Math.ceil((lines.length + 1) / BLOCKING_FACTOR);
  lines.push(fileControl(batches.size, blocks, entries));
  while (lines.length % BLOCKING_FACTOR > 0) lines.push('9'.repeat(WIDTH));
  return lines.map((line) => `${line}\r\n`).join('');
}

const fileHeader = (by: Originator, facts: NachaFileHeader) =>
  [
    '101',
    by.immediate_destination.padStart(10),
    by.immediate_origin.padStart(10),
    yymmdd(facts.file_date),
    facts.file_time,
    facts.file_id_modifier,
    '094',
    String(BLOCKING_FACTOR),
    '1',
    text(by.immediate_destination_name, 23),
    text(by.immediate_origin_name, 23),
    text('', 8),
  ].join('');

function batchHeader(by: Originator, facts: NachaFileHeader, batch: string, number: string) {
  const { sec, service_class, description } = partsOf(batch);
  return [
    '5',
    service_class,
    text(by.company_name, 16),
    text('', 20),
    text(by.company_id, 10),
    sec,
    text(description, 10),
    yymmdd(facts.file_date),
    yymmdd(facts.effective_entry_date),
    // The ACH operator fills in the settlement date.
    '   ',
    '1',
    by.odfi_routing_number.slice(0, 8),
    number,
  ].join('');
}

const entryDetail = (entry: NachaEntry) =>
  [
    '6',
    entry.transaction_code,
    entry.routing_number,
    text(entry.account_number, 17),
    cents([entry], 10),
    text(entry.individual_id, 15),
    text(entry.individual_name, 22),
    kindOf(entry),
    '0',
    entry.trace_number,
  ].join('');

/** The payment type of a WEB entry: single (S) or recurring (R). */
function kindOf({ batch, is_recurring }: NachaEntry) {
  if (partsOf(batch).sec !== 'WEB') return '  ';
  return is_recurring ? 'R ' : 'S ';
}

function batchControl(by: Originator, batch: string, number: string, own: readonly NachaEntry[]) {
  return [
    '8',
    partsOf(batch).service_class,
    digits(own.length, 6),
    hash(own),
    cents(own.filter(isDebit), 12),
    cents(own.filter(isCredit), 12),
    text(by.company_id, 10),
    text('', 25),
    by.odfi_routing_number.slice(0, 8),
    number,
  ].join('');
}

const fileControl = (batches: number, blocks: number, entries: readonly NachaEntry[]) =>
  [
    '9',
    digits(batches, 6),
    digits(blocks, 6),
    digits(entries.length, 8),
    hash(entries),
    cents(entries.filter(isDebit), 12),
    cents(entries.filter(isCredit), 12),
    text('', 39),
  ].join('');

const isCredit = ({ transaction_code }: Pick<NachaEntry, 'transaction_code'>) =>
  /[2-4]$/.test(transaction_code);
const isDebit = (entry: Pick<NachaEntry, 'transaction_code'>) => !isCredit(entry);

/** The last ten digits of the sum of all routing numbers without their check digits. */
function hash(entries: readonly NachaEntry[]) {
  const total = entries.reduce(
    (whole, { routing_number }) => whole + BigInt(routing_number.slice(0, 8)),
    0n,
  );
  return String(total).slice(-HASH_DIGITS).padStart(HASH_DIGITS, '0');
}

export const totalAmount = (entries: readonly Pick<NachaEntry, 'amount'>[]) =>
  money(sum(entries.map(({ amount }) => new Big(amount))));

const cents = (entries: readonly Pick<NachaEntry, 'amount'>[], width: number) =>
  assertWidth(new Big(totalAmount(entries)).times(100).toFixed(0), width);

const digits = (value: number, width: number) => assertWidth(String(value), width);

function assertWidth(value: string, width: number) {
  if (value.length > width) throw new Error(`${value} has more than ${width} digits.`);
  return value.padStart(width, '0');
}

/**
 * Whether a field of the bank's report matches ours. An empty field matches, because some banks omit
 * fields.
 */
export const isAsWritten = (given: string, value: string, width: number): boolean =>
  given === '' || given.toUpperCase() === text(value, width).trim();

/** Upper case ASCII, cut or padded to the width. */
function text(value: string, width: number) {
  const plain = toAscii(value)
    .toUpperCase()
    .replace(/[^A-Z0-9 .,&'/()-]/g, ' ');
  return plain.slice(0, width).padEnd(width);
}

const yymmdd = (date: string) => date.slice(2).replaceAll('-', '');

import { Big } from 'big.js';
import { Invalid } from '../../errors.ts';
import { money } from '../../money.ts';
import { fieldAt, readBankFile, type BankEntry } from './bank-file.ts';
import type { BankRecord } from './bank-records.ts';

/** A return or a notification of change for one of our entries. */
export type ReturnedEntry = {
  /** R01, R02, … for a return; C01, C02, … for a notification of change. */
  code: string;
  /** The trace number of the entry that we sent. */
  original_trace_number: string;
  /** The trace number of the bank's report. */
  trace_number: string;
  amount: string;
  /** The originator and the receiver as in our entry. Some banks leave them empty. */
  company_id: string;
  individual_id: string;
  information: string;
};

/** An entry that does not report on one of ours. */
type ForwardEntry = { code: null; trace_number: string };

/**
 * Reads a return file in the Nacha format. A type 99 addenda record follows each return, a type 98 record
 * each notification of change. Throws `Invalid` if the file contradicts its control records.
 */
export function readReturns(file: string): (ReturnedEntry | ForwardEntry)[] {
  return readBankFile(file).flatMap((entry): (ReturnedEntry | ForwardEntry)[] => {
    const reports = entry.addenda.filter(({ text }) => /^79[89]/.test(text));
    if (reports.length > 0) return reports.map((addenda) => reportOf(entry, addenda));
    return [{ code: null, trace_number: fieldAt(entry.record, 80, 94).trim() }];
  });
}

function reportOf({ batch, record }: BankEntry, addenda: BankRecord): ReturnedEntry {
  const code = fieldAt(addenda, 4, 6).toUpperCase();
  const isChange = fieldAt(addenda, 2, 3) === '98';
  if (!(isChange ? /^C\d{2}$/ : /^R\d{2}$/).test(code))
    throw invalidRecord(addenda, `has no ${isChange ? 'change' : 'return'} code in columns 4 to 6`);
  const original_trace_number = fieldAt(addenda, 7, 21);
  if (!/^\d{15}$/.test(original_trace_number))
    throw invalidRecord(addenda, 'has no original trace number in columns 7 to 21');
  return {
    code,
    original_trace_number,
    trace_number: fieldAt(addenda, 80, 94).trim(),
    amount: money(new Big(fieldAt(record, 30, 39)).div(100)),
    company_id: fieldAt(batch, 41, 50).trim(),
    individual_id: fieldAt(record, 40, 54).trim(),
    information: fieldAt(addenda, 36, 79).trimEnd(),
  };
}

const invalidRecord = ({ line }: BankRecord, problem: string) =>
  new Invalid({ file: `Line ${line} ${problem}.` });

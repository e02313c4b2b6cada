import { Big } from 'big.js';
import { Invalid } from '../../errors.ts';
import { money } from '../../money.ts';

/** One entry that a bank sent back, or asks to have changed. */
export type ReturnedEntry = {
  /** R01 and its like for a return; C01 and its like for a notification of change. */
  code: string;
  original_trace_number: string;
  amount: string;
  information: string;
};

/**
 * Reads a return file (Nacha Operating Rules, Appendix Four): each entry that comes back is followed
 * by an addenda record of type 99, each notification of change by one of type 98.
 */
export function readReturns(file: string): ReturnedEntry[] {
  const lines = file.split(/\r\n|\n|\r/).filter((line) => line !== '');
  const refuse = (index: number, what: string) =>
    new Invalid({ file: `Line ${index + 1} ${what}.` });
  if (lines[0]?.startsWith('1') !== true) throw refuse(0, 'is no file header');
  const entries: ReturnedEntry[] = [];
  lines.forEach((line, index) => {
    if (line.length !== 94) throw refuse(index, `has ${line.length} characters and not 94`);
    if (!line.startsWith('7') || !['98', '99'].includes(line.slice(1, 3))) return;
    const entry = lines[index - 1];
    if (entry?.startsWith('6') !== true) throw refuse(index, 'belongs to no entry');
    const [code, original_trace_number] = [line.slice(3, 6), line.slice(6, 21)];
    const amount = entry.slice(29, 39);
    if (!/^[RC]\d{2}$/.test(code) || !/^\d{15}$/.test(original_trace_number))
      throw refuse(index, 'has no return code or no trace number');
    if (!/^\d{10}$/.test(amount)) throw refuse(index - 1, 'has no amount');
    entries.push({
      code,
      original_trace_number,
      amount: money(new Big(amount).div(100)),
      information: line.slice(35, 79).trim(),
    });
  });
  return entries;
}

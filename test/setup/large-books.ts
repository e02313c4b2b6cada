import { closeSync, openSync, writeSync } from 'node:fs';
import { Big } from 'big.js';
import { addMonths } from '../../jobs/dates.ts';
import { money } from '../../jobs/money.ts';

const HEADER =
  'loan_number,external_id,borrower_external_id,borrower_first_name,borrower_last_name,borrower_state,' +
  'principal_amount,current_principal_balance,interest_rate,term_months,payment_amount,' +
  'origination_date,first_payment_date,paid_through_date,status\n';
const LINES_PER_WRITE = 1_000;

/** Every third loan belongs to the borrower of the one before, sometimes in another chunk. */
const borrowerOf = (index: number) => (index % 3 === 2 ? index - 1 : index);

/**
 * Writes a book of so many loans into the file, on this business date. Returns what a person would know from the old system.
 * The loans are K-000000, K-000001 …, their external ids X-000000 …, their borrowers B-0 … `mark` begins all of these ids.
 */
export function writeLargeBook(file: string, loans: number, today: string, mark = '') {
  const handle = openSync(file, 'w');
  let principal = new Big(0);
  let lines = HEADER;
  const [origination, first, paid] = [-7, -6, 0].map((months) => addMonths(today, months));
  for (let index = 0; index < loans; index += 1) {
    const number = String(index).padStart(6, '0');
    const balance = money(new Big(7_000 + (index % 900)).plus(new Big(index % 100).div(100)));
    principal = principal.plus(balance);
    const owner = borrowerOf(index);
    const person = `${mark}B-${owner},Ada,Holder ${owner},NY`;
    const terms = `10000.00,${balance},0.085,36,315.68,${origination},${first},${paid},active`;
    lines += `${mark}K-${number},${mark}X-${number},${person},${terms}\n`;
    if (index % LINES_PER_WRITE === 0) {
      writeSync(handle, lines);
      lines = '';
    }
  }
  writeSync(handle, lines);
  closeSync(handle);
  const borrowers = loans - Math.floor(loans / 3);
  return { loans, borrowers, principal_total: money(principal) };
}

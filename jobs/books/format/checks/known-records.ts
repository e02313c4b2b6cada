import type { BookFileName, BookRow } from '../book-files.ts';
import type { Referred } from '../columns.ts';
import { namesIn } from '../case-facts.ts';
import { contradiction, type Issue } from './issue.ts';
import { hashOf } from './key-set.ts';
import { createKeyTable } from './key-table.ts';

/** `borrower`: the hash of the id. `from`: the digits of the date. 0: there is none. `isPaidOff`: 0 or 1. */
type Known = { line: number; borrower: number; from: number; isPaidOff: number };

/** The records of a book that other files name, with the little that rules across files need. */
export type RecordsIndex = {
  find: (file: Referred, key: string) => Known | undefined;
  add: (file: Referred, key: string, known: Pick<Known, 'line'> & Partial<Known>) => void;
};

export function createRecordsIndex(): RecordsIndex {
  const newTable = () => createKeyTable('line', 'borrower', 'from', 'isPaidOff');
  const files = new Map<Referred, ReturnType<typeof newTable>>();
  return {
    find: (file, key) => files.get(file)?.find(key),
    add(file, key, { line, borrower = 0, from = 0, isPaidOff = 0 }) {
      const records = files.get(file) ?? newTable();
      records.add(key, { line, borrower, from, isPaidOff });
      files.set(file, records);
    },
  };
}

const REFERRED: readonly string[] = [
  ...(['programs', 'products', 'borrowers', 'loans', 'bank_accounts', 'collateral'] as const),
] satisfies readonly Referred[];

export const isReferred = (name: BookFileName): name is Referred => REFERRED.includes(name);

const digitsOf = (date: string) => Number(date.replaceAll('-', ''));

/** What the index keeps of a row. */
export function toKnown(name: BookFileName, row: object, line: number): Known {
  const {
    borrower_external_id: borrower,
    origination_date: from,
    status,
  } = row as { borrower_external_id?: string; origination_date?: string; status?: string };
  const isOwned = name === 'loans' || name === 'bank_accounts';
  return {
    line,
    borrower: isOwned && borrower !== undefined ? hashOf(borrower) : 0,
    from: name === 'loans' && from !== undefined ? digitsOf(from) : 0,
    isPaidOff: name === 'loans' && status === 'paid_off' ? 1 : 0,
  };
}

/** Contradictions between a row and the records that it names. */
export function checkAgainstOthers(
  name: BookFileName,
  row: BookRow<BookFileName>,
  index: RecordsIndex,
): Issue[] {
  if (name === 'co_borrowers') {
    const { loan_number, borrower_external_id } = row as BookRow<'co_borrowers'>;
    const loan = index.find('loans', loan_number);
    if (loan?.borrower === hashOf(borrower_external_id))
      return [
        contradiction(
          'borrower_external_id',
          'Is already the borrower of the loan. Remove the line.',
        ),
      ];
    if (!loan?.isPaidOff) return [];
    const reason = 'A loan that is paid off has no co-borrower. The line is left out.';
    return [{ column: 'loan_number', code: 'loan_not_owed', reason }];
  }
  if (name === 'autopay') {
    const plan = row as BookRow<'autopay'>;
    const account = index.find('bank_accounts', plan.bank_account_id);
    const { borrower_external_id: named } = plan;
    const payer = named ? hashOf(named) : index.find('loans', plan.loan_number)?.borrower;
    const isForeign = Boolean(account?.borrower && payer && account.borrower !== payer);
    return isForeign
      ? [
          {
            column: 'bank_account_id',
            code: 'account_of_another_borrower',
            reason: 'Belongs to another borrower than the one who pays. The plan is left out.',
          },
        ]
      : [];
  }
  if (name === 'cases') {
    const { facts } = row as BookRow<'cases'>;
    const unknown = namesIn(facts ?? {}).loans.find(
      (loan) => index.find('loans', loan) === undefined,
    );
    return unknown === undefined
      ? []
      : [contradiction('facts', `Names the loan ${unknown}, which loans.csv does not have.`)];
  }
  if (name === 'history') {
    const { loan_number, date } = row as BookRow<'history'>;
    const from = index.find('loans', loan_number)?.from ?? 0;
    if (digitsOf(date) >= from) return [];
    const on = String(from).replace(/(\d\d)(\d\d)$/, '-$1-$2');
    return [contradiction('date', `Must not be before the origination of the loan on ${on}.`)];
  }
  return [];
}

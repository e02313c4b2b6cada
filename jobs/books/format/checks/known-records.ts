import type { BookFileName, BookRow } from '../book-files.ts';
import type { Referred } from '../columns.ts';
import { namesIn } from '../case-facts.ts';
import { contradiction, type Issue } from './issue.ts';

type Known = { line: number; borrower?: string; from?: string; status?: string };

/** The records of a book that other files name, with the little that rules across files need. */
export type RecordsIndex = {
  find: (file: Referred, key: string) => Known | undefined;
  add: (file: Referred, key: string, known: Known) => void;
};

export function createRecordsIndex(): RecordsIndex {
  const files = new Map<Referred, Map<string, Known>>();
  return {
    find: (file, key) => files.get(file)?.get(key),
    add(file, key, known) {
      const records = files.get(file) ?? new Map<string, Known>();
      records.set(key, known);
      files.set(file, records);
    },
  };
}

const REFERRED: readonly string[] = [
  ...(['programs', 'products', 'borrowers', 'loans', 'bank_accounts', 'collateral'] as const),
] satisfies readonly Referred[];

export const isReferred = (name: BookFileName): name is Referred => REFERRED.includes(name);

/** What the index keeps of a row. */
export function toKnown(name: BookFileName, row: object, line: number): Known {
  const {
    borrower_external_id: borrower,
    origination_date: from,
    status,
  } = row as { borrower_external_id?: string; origination_date?: string; status?: string };
  if (name === 'loans')
    return {
      line,
      ...(borrower && { borrower }),
      ...(from && { from }),
      ...(status && { status }),
    };
  return name === 'bank_accounts' && borrower ? { line, borrower } : { line };
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
    if (loan?.borrower === borrower_external_id)
      return [
        contradiction(
          'borrower_external_id',
          'Is already the borrower of the loan. Remove the line.',
        ),
      ];
    if (loan?.status !== 'paid_off') return [];
    const reason = 'A loan that is paid off has no co-borrower. The line is left out.';
    return [{ column: 'loan_number', code: 'loan_not_owed', reason }];
  }
  if (name === 'autopay') {
    const plan = row as BookRow<'autopay'>;
    const account = index.find('bank_accounts', plan.bank_account_id);
    const payer = plan.borrower_external_id ?? index.find('loans', plan.loan_number)?.borrower;
    const isForeign =
      account?.borrower !== undefined && payer !== undefined && account.borrower !== payer;
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
    const from = index.find('loans', loan_number)?.from;
    return from !== undefined && date < from
      ? [contradiction('date', `Must not be before the origination of the loan on ${from}.`)]
      : [];
  }
  return [];
}

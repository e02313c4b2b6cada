import * as borrowerFiles from './borrower-files.ts';
import type { BookFile, Column, RowOf } from './columns.ts';
import * as historyFiles from './history-files.ts';
import * as loanFiles from './loan-files.ts';
import * as recordFiles from './record-files.ts';
import * as settingsFiles from './settings-files.ts';

/**
 * The book format: every file with its columns, in the order in which an import needs them. The reader, the exporter,
 * the mapping and the documentation follow from it.
 */
export const BOOK_FILES = {
  settings: settingsFiles.settings,
  investors: settingsFiles.investors,
  portfolios: settingsFiles.portfolios,
  programs: settingsFiles.programs,
  products: settingsFiles.products,
  borrowers: borrowerFiles.borrowers,
  addresses: borrowerFiles.addresses,
  emails: borrowerFiles.emails,
  phones: borrowerFiles.phones,
  consents: borrowerFiles.consents,
  identities: borrowerFiles.identities,
  bank_accounts: borrowerFiles.bank_accounts,
  loans: loanFiles.loans,
  co_borrowers: loanFiles.co_borrowers,
  autopay: recordFiles.autopay,
  collateral: recordFiles.collateral,
  liens: recordFiles.liens,
  insurance: recordFiles.insurance,
  valuations: recordFiles.valuations,
  promises: recordFiles.promises,
  notes: recordFiles.notes,
  cases: recordFiles.cases,
  history: historyFiles.history,
  events: historyFiles.events,
  schedules: historyFiles.schedules,
  records: historyFiles.records,
  figures: loanFiles.figures,
  ledger: settingsFiles.ledger,
  documents: recordFiles.documents,
} as const satisfies Record<string, BookFile>;

export type BookFileName = keyof typeof BOOK_FILES;
export const BOOK_FILE_NAMES = Object.keys(BOOK_FILES) as BookFileName[];

/** A row of a book file after it was read. */
export type BookRow<Name extends BookFileName> = RowOf<(typeof BOOK_FILES)[Name]>;

/** The columns of a file by name. */
export const columnsOf = (name: BookFileName): Readonly<Record<string, Column>> =>
  BOOK_FILES[name].columns;

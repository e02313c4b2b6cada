import * as people from '../../../../sql/books/borrowers.ts';
import * as records from '../../../../sql/books/import-records.ts';
import { UNKNOWN_ADDRESS } from '../../../../sql/books/unknown-address.ts';
import { optOut } from '../../../../sql/communications/opt-outs.ts';
import { mapConcurrently } from '../../../../sql/database/batch-by-transaction.ts';
import { newId } from '../../../../sql/new-id.ts';
import { insertAll, type Values } from '../../../../sql/write.ts';
import { recordAudit } from '../../../audit.ts';
import { addInstrument } from '../../../borrowers/payment-instrument.ts';
import type { ImportRow } from '../../../../sql/books/imports.ts';
import { settingsOf } from '../../../users/settings/settings.ts';
import type { Work } from '../../../work.ts';
import type { BookRow } from '../../format/book-files.ts';
import type { LoanRow } from '../book-rows.ts';
import { borrowerRecordRows } from '../exported/own-records.ts';
import * as columns from './record-columns.ts';
import { borrowerKey, loadRows, loadShortBorrowers, type StagedRows } from '../staged-rows.ts';

const FILES = [
  ...(['borrowers', 'addresses', 'emails', 'phones'] as const),
  ...(['consents', 'identities', 'bank_accounts', 'notes', 'records'] as const),
] as const;

/**
 * The borrowers with these external ids. A new one is added with everything that the book says about the person; a known
 * one is used and not changed, except that bank accounts and notes are added. `short` holds the loans whose rows describe their
 * borrower themselves. A few statements for all borrowers.
 */
export async function importBorrowers(
  work: Work,
  row: ImportRow,
  externalIds: readonly string[],
  short: ReadonlyMap<string, LoanRow> = new Map(),
): Promise<Map<string, string>> {
  const ids = [...new Set(externalIds)];
  const done = await findImportedBorrowers(work, row.id, ids);
  const open = ids.filter((id) => !done.has(id));
  if (open.length === 0) return done;
  const known = new Map(
    (await people.findByExternalIds(work.tx, open)).map((one) => [one.external_id, one.id]),
  );
  const rowsOf = await loadRows(work, row.id, FILES, open.map(borrowerKey));
  const fresh = new Map(open.filter((id) => !known.has(id)).map((id) => [id, newId()]));
  const elsewhere = [...fresh.keys()].filter(
    (id) => !short.has(id) && rowsOf('borrowers', borrowerKey(id)).length === 0,
  );
  // A person who owes a loan of this chunk together with others may describe herself in a loan of a later one.
  const later = await loadShortBorrowers(work, row.id, elsewhere);
  await addBorrowers(work, row, fresh, rowsOf, new Map([...later, ...short]));
  for (const [external_id, id] of known)
    await addAccountsOfKnown(work, row, id, rowsOf('bank_accounts', borrowerKey(external_id)));
  await insertAll(
    work.tx,
    'notes',
    [...known].flatMap(([external_id, id]) =>
      rowsOf('notes', borrowerKey(external_id)).map(({ values }) =>
        columns.noteColumns(id, null, values),
      ),
    ),
  );
  const found = new Map([...known, ...fresh]);
  await records.addImportedRecords(
    work.tx,
    row.id,
    [...found].map(([external_id, record_id]) => ({
      file: 'borrowers',
      key: borrowerKey(external_id),
      record_id,
    })),
  );
  return new Map([...done, ...found]);
}

/** Those of the borrowers that this import has added or found, by external id. */
export async function findImportedBorrowers(
  { tx }: Work,
  importId: string,
  externalIds: readonly string[],
): Promise<Map<string, string>> {
  const keys = externalIds.map(borrowerKey);
  const found = await records.findImportedRecords(tx, importId, 'borrowers', keys);
  return new Map(
    externalIds.flatMap((id) => {
      const record = found.get(borrowerKey(id));
      return record === undefined ? [] : [[id, record] as const];
    }),
  );
}

async function addBorrowers(
  work: Work,
  row: ImportRow,
  fresh: ReadonlyMap<string, string>,
  rowsOf: StagedRows,
  short: ReadonlyMap<string, LoanRow>,
) {
  const rows = {
    borrowers: [] as Values[],
    addresses: [] as Values[],
    emails: [] as Values[],
    phones: [] as Values[],
    borrower_consents: [] as Values[],
    borrower_identities: [] as Values[],
    payment_instruments: [] as Values[],
    notes: [] as Values[],
    legal_reps: [] as Values[],
    business_details: [] as Values[],
    military_reports: [] as Values[],
  };
  const accounts: records.ImportedRecord[] = [];
  const optedOut: Parameters<typeof optOut>[1][] = [];
  const message = `Imported from ${row.filename}`;
  const keepsVerification = await mayKeepVerification(work);
  for (const [external_id, id] of fresh) {
    const key = borrowerKey(external_id);
    const loan = short.get(external_id);
    const listed = rowsOf('borrowers', key)[0]?.values;
    const person = listed ?? (loan && personOf(loan));
    if (person === undefined) continue;
    const all = <Row>(placed: readonly { values: Row }[]) => placed.map(({ values }) => values);
    rows.borrowers.push({ id, ...columns.borrowerColumns(work, person) });
    if (person.ssn) rows.borrower_identities.push(columns.ssnColumns(work, id, person.ssn));
    const addresses = all(rowsOf('addresses', key));
    const emails = all(rowsOf('emails', key));
    const isDescribed = loan !== undefined && (listed === undefined || hasAddress(loan));
    const homes = addresses.length === 0 && isDescribed ? addressesOf(loan) : addresses;
    const mails = emails.length === 0 && loan ? emailsOf(loan) : emails;
    rows.addresses.push(
      ...withPrimary(
        homes.map((one) => columns.addressColumns(work, id, one)),
        'address_type',
      ),
    );
    rows.emails.push(...withPrimary(mails.map((one) => columns.emailColumns(work, id, one))));
    const phones = all(rowsOf('phones', key));
    rows.phones.push(...withPrimary(phones.map((one) => columns.phoneColumns(work, id, one))));
    for (const { email, is_opted_out } of mails)
      if (is_opted_out) optedOut.push({ channel: 'email', contact: email, message });
    for (const { phone_number, is_opted_out } of phones)
      if (is_opted_out) optedOut.push({ channel: 'sms', contact: phone_number, message });
    for (const consent of all(rowsOf('consents', key)))
      rows.borrower_consents.push(columns.broughtConsentColumns(work, id, consent));
    for (const identity of all(rowsOf('identities', key)))
      if (!isSameNumber(person, identity))
        rows.borrower_identities.push(columns.identityColumns(work, id, identity));
    const own = all(rowsOf('bank_accounts', key)).map((one) => {
      const record_id = newId();
      accounts.push({ file: 'bank_accounts', key: one.bank_account_id, record_id });
      const is_verified = keepsVerification && one.is_verified === true;
      return { id: record_id, ...columns.accountColumns(work, id, { ...one, is_verified }) };
    });
    rows.payment_instruments.push(...withFirst(own, 'is_default'));
    for (const note of all(rowsOf('notes', key)))
      rows.notes.push(columns.noteColumns(id, null, note));
    for (const { table, row: record } of borrowerRecordRows(id, rowsOf('records', key)))
      rows[table].push(record);
  }
  for (const [table, values] of Object.entries(rows) as [keyof typeof rows, Values[]][])
    await insertAll(work.tx, table, values);
  for (const contact of optedOut) await optOut(work.tx, contact);
  await records.addImportedRecords(work.tx, row.id, accounts);
  await mapConcurrently([...fresh], ([external_id, id]) =>
    recordAudit(
      work,
      { type: 'borrowers', id, borrower_id: id },
      'create',
      { external_id: { old: null, new: external_id } },
      message,
    ),
  );
}

/**
 * Whether accounts stay verified. If verified accounts need a second person here, a file cannot add them unless a second
 * person approves imports as well.
 */
async function mayKeepVerification({ tx }: Work) {
  const { four_eyes } = (await settingsOf(tx)).approvals;
  return !four_eyes.includes('destinations') || four_eyes.includes('imports');
}

/** The number of the borrower is one of the identities as well, in some books. */
const isSameNumber = ({ ssn }: BookRow<'borrowers'>, { identifier }: BookRow<'identities'>) =>
  ssn !== undefined && identifier?.replace(/[\s.-]/g, '') === ssn;

/** One contact of each type is primary: the first one that says so, otherwise the first one. */
function withPrimary(contacts: readonly Values[], type?: string): Values[] {
  const byType = Map.groupBy(contacts, (one) => (type ? one[type] : null));
  return [...byType.values()].flatMap((alike) => withFirst(alike, 'is_primary'));
}

function withFirst(rows: readonly Values[], mark: 'is_primary' | 'is_default'): Values[] {
  const chosen = rows.find((row) => row[mark] === true) ?? rows[0];
  return rows.map((row) => ({ ...row, [mark]: row === chosen }));
}

/** The borrower's name in a row of `loans.csv`. Null: it is in `borrowers.csv`. */
export const nameOf = ({ borrower_first_name, borrower_last_name }: LoanRow) =>
  borrower_first_name && borrower_last_name
    ? { first_name: borrower_first_name, last_name: borrower_last_name }
    : null;

const personOf = (loan: LoanRow): BookRow<'borrowers'> => ({
  borrower_external_id: loan.borrower_external_id,
  first_name: loan.borrower_first_name ?? '',
  last_name: loan.borrower_last_name ?? '',
  date_of_birth: loan.borrower_date_of_birth,
  ssn: loan.borrower_ssn,
  language_preference: loan.borrower_language,
});

const hasAddress = (loan: LoanRow) =>
  [loan.borrower_street, loan.borrower_city, loan.borrower_postal_code, loan.borrower_state].some(
    (part) => part !== undefined,
  );

const addressesOf = (loan: LoanRow): BookRow<'addresses'>[] => [
  {
    borrower_external_id: loan.borrower_external_id,
    street_line_1: loan.borrower_street ?? UNKNOWN_ADDRESS.street_line_1,
    city: loan.borrower_city ?? UNKNOWN_ADDRESS.city,
    postal_code: loan.borrower_postal_code ?? UNKNOWN_ADDRESS.postal_code,
    state: loan.borrower_state,
  },
];

const emailsOf = ({ borrower_external_id, borrower_email }: LoanRow): BookRow<'emails'>[] =>
  borrower_email ? [{ borrower_external_id, email: borrower_email }] : [];

/** Autopay of a loan may draw on an account that only the book has. */
async function addAccountsOfKnown(
  work: Work,
  row: ImportRow,
  borrower_id: string,
  placed: readonly { values: BookRow<'bank_accounts'> }[],
) {
  const added: records.ImportedRecord[] = [];
  for (const { values } of placed) {
    const { bank_account_id, borrower_external_id: _, ...account } = values;
    const instrument_type = account.instrument_type ?? 'bank_account';
    const input = { ...account, instrument_type, borrower_id, is_default: false };
    const record_id = await addInstrument(work, input);
    added.push({ file: 'bank_accounts', key: bank_account_id, record_id });
  }
  if (added.length > 0) await records.addImportedRecords(work.tx, row.id, added);
}

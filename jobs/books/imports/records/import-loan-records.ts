import * as brought from '../../../../sql/books/brought-records.ts';
import * as records from '../../../../sql/books/import-records.ts';
import type { ImportRow } from '../../../../sql/books/imports.ts';
import { mapConcurrently } from '../../../../sql/database/batch-by-transaction.ts';
import { newId } from '../../../../sql/new-id.ts';
import { insertAll, type Values } from '../../../../sql/write.ts';
import { followConditions } from '../../../cases/conditions-changed.ts';
import { saveNextDraw } from '../../../loans/history/autopay/save-next-draw.ts';
import { openLoan } from '../../../loans/history/open-loan.ts';
import type { Work } from '../../../work.ts';
import type { BookFileName } from '../../format/book-files.ts';
import type { LoanRow } from '../book-rows.ts';
import type { BookFinding } from '../finding.ts';
import * as columns from './record-columns.ts';
import { collateralKey, loadRows, loanKey, type Placed, type StagedRows } from '../staged-rows.ts';

/** The files whose rows belong to a loan. */
export const LOAN_FILES = [
  ...(['co_borrowers', 'autopay', 'collateral', 'promises', 'notes', 'history'] as const),
  'records',
] as const satisfies readonly BookFileName[];

/** A loan that was boarded in this transaction. */
export type NewLoan = {
  id: string;
  borrower_id: string;
  row: LoanRow;
  source: string;
  line: number;
};

export type LoanChunk = {
  work: Work;
  import: ImportRow;
  loans: readonly NewLoan[];
  rowsOf: StagedRows;
  borrowers: ReadonlyMap<string, string>;
  /** Reports a row that cannot be used, while its loan is boarded. */
  warn: (finding: Omit<BookFinding, 'severity'>) => void;
};

/** Statuses in which a loan is owed, or will be owed once it is funded. */
const OWED = ['pending', 'approved', 'active', 'charged_off'];
const PROMISE_GRACE_DAYS = 2;
const DRAWN_ON = ['pending', 'approved', 'active'];

/** Adds everything that belongs to loans that were just boarded. A few statements for all of them. */
export async function importLoanRecords(chunk: LoanChunk) {
  await addCoBorrowers(chunk);
  await addCollateral(chunk);
  await setLabelsAndOfficers(chunk);
  await addNotesAndPromises(chunk);
  await addAutopay(chunk);
}

function* rowsOfLoans<Name extends (typeof LOAN_FILES)[number]>(
  { loans, rowsOf }: LoanChunk,
  file: Name,
): Generator<Placed<Name> & { loan: NewLoan }> {
  for (const loan of loans)
    for (const placed of rowsOf(file, loanKey(loan.row.loan_number))) yield { ...placed, loan };
}

async function addCoBorrowers(chunk: LoanChunk) {
  const { work, borrowers, warn } = chunk;
  const added: Values[] = [];
  const loanIds = new Set<string>();
  for (const { source, line, values, loan } of rowsOfLoans(chunk, 'co_borrowers')) {
    const borrower_id = borrowers.get(values.borrower_external_id);
    const place = { file: source, line };
    if (borrower_id === undefined || !OWED.includes(loan.row.status)) {
      const code = 'loan_not_owed';
      const reason = `A loan that is ${loan.row.status} has no co-borrower. The line is left out.`;
      warn({ ...place, column: 'loan_number', code, reason });
      continue;
    }
    if (borrower_id === loan.borrower_id) {
      const code = 'same_borrower';
      const reason = 'Is the borrower of this loan. The line is left out.';
      warn({ ...place, column: 'borrower_external_id', code, reason });
      continue;
    }
    const liable_from = values.liable_from ?? loan.row.origination_date;
    added.push({ loan_id: loan.id, borrower_id, role: values.role, liable_from });
    loanIds.add(loan.id);
  }
  await insertAll(work.tx, 'co_borrowers', added);
  // A person who was known before may have cases, whose conditions now also apply to the loan.
  const concerned = await brought.loansOfPeopleWithConditions(work.tx, [...loanIds]);
  for (const id of concerned) await followConditions(work, id);
}

async function addCollateral(chunk: LoanChunk) {
  const { work } = chunk;
  const items = [...rowsOfLoans(chunk, 'collateral')];
  if (items.length === 0) return;
  const keys = items.map(({ values }) => collateralKey(values.collateral_id));
  const files = ['liens', 'insurance', 'valuations'] as const;
  const rowsOf = await loadRows(work, chunk.import.id, files, keys);
  const rows: Values[] = [];
  const liens: Values[] = [];
  const valuations: Values[] = [];
  for (const { values, loan } of items) {
    const id = newId();
    const key = collateralKey(values.collateral_id);
    const insured_until = rowsOf('insurance', key)
      .map((one) => one.values.insured_until)
      .toSorted()
      .at(-1);
    rows.push({ id, ...columns.collateralColumns(work, loan.id, values), insured_until });
    for (const lien of rowsOf('liens', key))
      liens.push(columns.broughtLienColumns(id, lien.values));
    for (const valuation of rowsOf('valuations', key))
      valuations.push(columns.valuationColumns(work, id, valuation.values));
  }
  await insertAll(work.tx, 'collateral_items', rows);
  await insertAll(work.tx, 'liens', liens);
  await insertAll(work.tx, 'valuations', valuations);
}

async function setLabelsAndOfficers({ work, loans, warn }: LoanChunk) {
  const emails = loans.flatMap(({ row }) => row.officer_email ?? []);
  const officers = await brought.findOfficers(work.tx, emails);
  const set = loans.flatMap(({ id, row, source, line }) => {
    const { labels, officer_email, charge_off_reason } = row;
    const officer = officer_email ? officers.get(officer_email) : undefined;
    if (officer_email && officer === undefined) {
      const code = 'unknown_officer';
      const reason = 'No active user with this address may service loans. The loan has no officer.';
      warn({ file: source, line, column: 'officer_email', code, reason });
    }
    const isChargedOff = row.status === 'charged_off';
    const changes = {
      id,
      labels: labels ? columns.labelsOf(labels) : null,
      loan_officer_id: officer ?? null,
      charge_off_reason: isChargedOff ? (charge_off_reason ?? 'delinquency') : null,
    };
    return Object.values(changes).filter((value) => value !== null).length > 1 ? [changes] : [];
  });
  if (set.length > 0) await brought.completeLoans(work.tx, set);
}

async function addNotesAndPromises(chunk: LoanChunk) {
  const { work, borrowers } = chunk;
  const notes: Values[] = [];
  const promises: Values[] = [];
  for (const { values, loan } of rowsOfLoans(chunk, 'notes')) {
    const named = values.borrower_external_id && borrowers.get(values.borrower_external_id);
    notes.push(columns.noteColumns(named ?? loan.borrower_id, loan.id, values));
  }
  // Our own export has the promises with their outcomes.
  const isComplete = new Set(
    [...rowsOfLoans(chunk, 'records')]
      .filter(({ values }) => values.kind === 'promise')
      .map(({ loan }) => loan.id),
  );
  for (const { values, loan } of rowsOfLoans(chunk, 'promises')) {
    if (isComplete.has(loan.id)) continue;
    const {
      loan_number: _,
      promised_on,
      status = 'pending',
      channel = 'phone',
      ...promise
    } = values;
    const isOpen = status === 'pending' && promise.promised_date >= work.today;
    if (isOpen && ['active', 'charged_off'].includes(loan.row.status))
      promises.push({
        ...promise,
        channel,
        grace_days: promise.grace_days ?? PROMISE_GRACE_DAYS,
        installments: [],
        loan_id: loan.id,
        promised_on,
        created_at: promised_on,
      });
    else notes.push(pastPromise(loan, values, status));
  }
  await insertAll(work.tx, 'notes', notes);
  await insertAll(work.tx, 'promises_to_pay', promises);
}

/** The outcome of a promise follows from payments that this system does not have, so a past promise is a note. */
function pastPromise(
  { id, borrower_id }: NewLoan,
  { promised_amount, promised_date, promised_on, contact_note }: Placed<'promises'>['values'],
  status: string,
): Values {
  const outcome = status === 'pending' ? 'no outcome is known' : status.replaceAll('_', ' ');
  return {
    loan_id: id,
    borrower_id,
    category: 'collections',
    subject: 'Promise to pay at the previous servicer',
    body: `Promised ${promised_amount} by ${promised_date}: ${outcome}.${contact_note ? `\n\n${contact_note}` : ''}`,
    created_at: promised_on,
  };
}

async function addAutopay(chunk: LoanChunk) {
  const { work, borrowers, warn } = chunk;
  const rows = [...rowsOfLoans(chunk, 'autopay')];
  if (rows.length === 0) return;
  const keys = rows.flatMap(({ values }) => [
    values.bank_account_id,
    ...(values.backup_bank_account_id ? [values.backup_bank_account_id] : []),
  ]);
  const found = await records.findImportedRecords(work.tx, chunk.import.id, 'bank_accounts', keys);
  const usable = await brought.findUsableAccounts(work.tx, [...found.values()]);
  const plans: (Values & { id: string; loan_id: string })[] = [];
  const authorized: Authorized[] = [];
  const taken = new Set<string>();
  for (const { source, line, values, loan } of rows) {
    const leaveOut = (column: string, code: string, reason: string) =>
      warn({ file: source, line, column, code, reason: `${reason} The line is left out.` });
    const account = found.get(values.bank_account_id);
    const owner = values.borrower_external_id
      ? borrowers.get(values.borrower_external_id)
      : loan.borrower_id;
    if (!DRAWN_ON.includes(loan.row.status))
      leaveOut(
        'loan_number',
        'loan_not_owed',
        `Nothing is drawn for a loan that is ${loan.row.status}.`,
      );
    else if (taken.has(loan.id))
      leaveOut('loan_number', 'second_autopay', 'The loan has an autopay plan already.');
    else if (account === undefined || usable.get(account) !== owner)
      leaveOut(
        'bank_account_id',
        'account_not_usable',
        'The account cannot be drawn on: it must be an active bank account of the person with its full numbers.',
      );
    else {
      taken.add(loan.id);
      const id = newId();
      const backup = values.backup_bank_account_id && found.get(values.backup_bank_account_id);
      plans.push({
        ...columns.autopayColumns(work, values),
        id,
        loan_id: loan.id,
        borrower_id: owner,
        payment_instrument_id: account,
        backup_payment_instrument_id: backup && usable.get(backup) === owner ? backup : undefined,
      });
      if (values.authorized_at && owner)
        authorized.push({
          plan_id: id,
          borrower_id: owner,
          granted_at: values.authorized_at,
          place: { file: source, line, column: 'authorized_at' },
        });
    }
  }
  const consents = await addConsents(chunk, authorized);
  for (const plan of plans) Object.assign(plan, consents.get(plan.id));
  await insertAll(work.tx, 'autopay_plans', plans);
  await mapConcurrently(plans, async ({ id, loan_id }) =>
    saveNextDraw(work, await openLoan(work, loan_id), id),
  );
}

type Authorized = brought.Authorization & {
  plan_id: string;
  place: Pick<BookFinding, 'file' | 'line' | 'column'>;
};
type Consented = { consent_id: string; status?: 'paused' };

/**
 * The consents behind autopay plans: those that the book has among its consents, otherwise new ones. By plan. A plan whose
 * consent was revoked is paused, and cannot be resumed.
 */
async function addConsents(
  { work, warn }: LoanChunk,
  authorized: readonly Authorized[],
): Promise<Map<string, Consented>> {
  const found = await brought.findAutopayConsents(work.tx, authorized);
  const known = new Map(found.map((one) => [one.plan_id, one]));
  const added: Values[] = [];
  const consents = new Map<string, Consented>();
  for (const { plan_id, borrower_id, granted_at, place } of authorized) {
    const { id = newId(), is_revoked = false } = known.get(plan_id) ?? {};
    consents.set(plan_id, { consent_id: id, ...(is_revoked && { status: 'paused' }) });
    const reason = 'The borrower revoked this authorization. The plan is paused.';
    if (is_revoked) warn({ ...place, code: 'authorization_revoked', reason });
    if (!known.has(plan_id))
      added.push({ id, borrower_id, consent_type: 'autopay', source: 'import', granted_at });
  }
  await insertAll(work.tx, 'borrower_consents', added);
  return consents;
}

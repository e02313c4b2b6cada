import type { LiableAccount } from '../../../../sql/books/brought-records.ts';
import { readImport } from '../../../../sql/books/imports.ts';
import * as imported from '../../../../sql/books/import-records.ts';
import {
  completeRecords,
  LOAN_RECORDS,
  type BroughtRecord,
  type LoanRecordKind,
} from '../../../../sql/books/running-records.ts';
import { mapConcurrently } from '../../../../sql/database/batch-by-transaction.ts';
import { newId } from '../../../../sql/new-id.ts';
import { insertAll, type Values } from '../../../../sql/write.ts';
import { updateAgreed } from '../../../loans/history/record-events.ts';
import { ZERO } from '../../../money.ts';
import { saveOrderAccount } from '../../../payments/nacha/bank-order.ts';
import { settingsOf } from '../../../users/settings/settings.ts';
import type { Work } from '../../../work.ts';
import { IN_PAST, isBefore, LEFT_OUT, NOT_ACH } from '../../format/checks/own-record-checks.ts';
import type { FindingCode } from '../../format/findings.ts';
import { isDraw, LOAN_RECORD_KINDS } from '../../format/own-records.ts';
import { ChunkRefused } from '../chunk-refused.ts';
import type { LoanChunk } from '../records/import-loan-records.ts';
import { createAccountFinder, type FindAccount } from '../records/loan-accounts.ts';
import type { Placed } from '../staged-rows.ts';
import { isOneOf, readFacts } from './own-records.ts';

export type LoanWithRecords = {
  id: string;
  borrower_id: string;
  records: readonly Placed<'records'>[];
  /** The new id of an event that the loan brought. */
  eventId: (old: string) => string | undefined;
  /** Its flags were set after it was boarded. */
  isFlagged: boolean;
};

type OwnRecord = Placed<'records'> & {
  kind: LoanRecordKind;
  loan: LoanWithRecords;
  facts: Values;
  /** The id that it gets here. */
  id: string;
};

/** What records name: the accounts of the book, its investors, and the payment plans of a loan. */
type Named = {
  findAccount: FindAccount;
  findInvestor: (old: unknown) => string | undefined;
  findPlan: (loan: LoanWithRecords, old: unknown) => string | undefined;
};

/**
 * Adds the agreements and other records of loans that were just boarded, and recalculates what these loans will owe.
 * The events that the records have caused came with the loan; here they only get their new ids.
 */
export async function importOwnRecords(
  work: Work,
  importId: string,
  loans: readonly LoanWithRecords[],
  warn: LoanChunk['warn'],
) {
  for (const loan of loans) assertConsistent(loan.records);
  const records = await holdModifications(work, importId, loans.flatMap(openRecords), warn);
  const named = await findNamed(work, importId, loans, records);
  const added = Map.groupBy(
    records.flatMap((record) => newRow(work, record, named, warn)),
    ({ table }) => table,
  );
  // In the order of the kinds: a scheduled payment may name a payment plan.
  const tables = new Set(LOAN_RECORD_KINDS.map((kind) => LOAN_RECORDS[kind].table));
  for (const table of tables)
    await insertAll(
      work.tx,
      table,
      (added.get(table) ?? []).map(({ row }) => row),
    );
  for (const [kind, complete] of COMPLETIONS) {
    const made = records.filter((record) => record.kind === kind);
    await completeRecords(
      work.tx,
      LOAN_RECORDS[kind].table,
      made.flatMap((record) => complete(record, named) ?? []),
    );
  }
  await saveAccounts(work, added.get('payments')?.map(({ row }) => row) ?? []);
  const changed = loans.filter(({ records: own, isFlagged }) => isFlagged || own.some(isAgreement));
  await mapConcurrently(changed, ({ id }) => updateAgreed(work, id));
}

const openRecords = (loan: LoanWithRecords): OwnRecord[] =>
  loan.records.flatMap((placed) => {
    const { kind } = placed.values;
    if (!isOneOf(LOAN_RECORD_KINDS, kind)) return [];
    return [{ ...placed, kind, loan, facts: readFacts(placed.values), id: newId() }];
  });

/**
 * If modifications need a second person here, a file cannot bring approved ones, unless a second person approves imports as
 * well: they wait for another user than the one who confirmed the import.
 */
async function holdModifications(
  work: Work,
  importId: string,
  records: readonly OwnRecord[],
  warn: LoanChunk['warn'],
): Promise<readonly OwnRecord[]> {
  const isHeld = ({ kind, facts }: OwnRecord) =>
    kind === 'modification' && facts['status'] === 'approved';
  if (!records.some(isHeld)) return records;
  const { four_eyes } = (await settingsOf(work.tx)).approvals;
  if (!four_eyes.includes('modifications') || four_eyes.includes('imports')) return records;
  const requested_by = (await readImport(work.tx, importId))?.confirmed_by;
  return records.map((record) => {
    if (!isHeld(record)) return record;
    const { facts, source, line } = record;
    const reason = 'A second person must approve modifications here. This one waits for approval.';
    warn({ file: source, line, column: 'facts', code: 'approval_needed', reason });
    return { ...record, facts: { ...facts, status: 'pending', requested_by } };
  });
}

async function findNamed(
  work: Work,
  importId: string,
  loans: readonly LoanWithRecords[],
  records: readonly OwnRecord[],
): Promise<Named> {
  const namedIn = (column: string) =>
    records.flatMap(({ facts }) => (typeof facts[column] === 'string' ? [facts[column]] : []));
  const loanIds = loans.map(({ id }) => id);
  const accounts = namedIn('payment_instrument_id');
  const investors = await imported.findImportedRecords(
    work.tx,
    importId,
    'investors',
    namedIn('investor_id'),
  );
  const plans = new Map(
    records
      .filter(({ kind }) => kind === 'payment_plan')
      .map(({ loan, values, id }) => [`${loan.id} ${values.record_id}`, id]),
  );
  return {
    findAccount: await createAccountFinder(work, importId, loanIds, accounts),
    findInvestor: (old) => investors.get(String(old)),
    findPlan: (loan, old) => plans.get(`${loan.id} ${String(old)}`),
  };
}

type Complete = (record: OwnRecord, named: Named) => BroughtRecord | null;

const findEvent = ({ loan }: OwnRecord, old: unknown) =>
  typeof old === 'string' ? loan.eventId(old) : undefined;

/** The record that the event with the same id has made. Null if the loan did not bring that event. */
const ofEvent =
  (columns: (record: OwnRecord, named: Named) => Values): Complete =>
  (record, named) => {
    const id = findEvent(record, record.values.record_id);
    return id === undefined ? null : { ...record.facts, ...columns(record, named), id };
  };

/** Kinds that complete what boarding and the events of the loan have made. */
const COMPLETIONS = [
  [
    'standing',
    ({ loan, facts }) => {
      // The boarding has taken the date of first delinquency.
      const { boarded_delinquency_date: _, ...columns } = facts;
      return { ...columns, id: loan.id };
    },
  ],
  [
    'payment',
    ofEvent(({ loan, facts }, { findAccount, findPlan }) => ({
      payment_instrument_id: findAccount(loan.id, facts['payment_instrument_id'])?.id,
      payment_plan_id: findPlan(loan, facts['payment_plan_id']),
    })),
  ],
  [
    'draw',
    ofEvent(({ loan, facts }, { findAccount }) => ({
      payment_instrument_id: findAccount(loan.id, facts['payment_instrument_id'])?.id,
    })),
  ],
  [
    'fee',
    ofEvent((record) => ({
      payment_id: findEvent(record, record.facts['payment_id']),
      draw_id: findEvent(record, record.facts['draw_id']),
    })),
  ],
] as const satisfies readonly (readonly [LoanRecordKind, Complete])[];

const isCompletion = (kind: string) => COMPLETIONS.some(([known]) => known === kind);

type NewRow = { table: (typeof LOAN_RECORDS)[LoanRecordKind]['table']; row: Values };

/** The row of a record that no event has made. None if it is left out. */
function newRow(work: Work, record: OwnRecord, named: Named, warn: LoanChunk['warn']): NewRow[] {
  const { kind, facts, id, loan, source, line } = record;
  if (isCompletion(kind)) return [];
  const account = named.findAccount(loan.id, facts['payment_instrument_id']);
  const refused = refuseRecord(work, kind, facts, account);
  if (refused !== null) warn({ file: source, line, column: 'facts', ...refused });
  if (refused !== null && kind === 'scheduled_payment') return [];
  const row: Values = { ...facts, ...namesOf(record, named, account), id, loan_id: loan.id };
  if (refused !== null) Object.assign(row, { payment_instrument_id: null, auto_collect: false });
  // The check has found the investor.
  if (kind === 'assignment' && row['investor_id'] === null) return [];
  if (kind === 'scheduled_payment')
    Object.assign(row, {
      borrower_id: account?.borrower_id ?? loan.borrower_id,
      status: 'scheduled',
      receipt_number:
        facts['receipt_number'] ?? `R-${id.replaceAll('-', '').slice(-12).toUpperCase()}`,
    });
  return [{ table: LOAN_RECORDS[kind].table, row }];
}

/** The ids here of what the record names. */
function namesOf(
  record: OwnRecord,
  { findInvestor, findPlan }: Named,
  account: LiableAccount | undefined,
): Values {
  const { facts, loan } = record;
  const { event_ids } = facts;
  const ids: Values = {
    event_id: findEvent(record, facts['event_id']) ?? null,
    event_ids: Array.isArray(event_ids)
      ? event_ids.flatMap((old) => findEvent(record, old) ?? [])
      : [],
    payment_instrument_id: account?.id ?? null,
    payment_plan_id: findPlan(loan, facts['payment_plan_id']) ?? null,
    investor_id: findInvestor(facts['investor_id']) ?? null,
  };
  return Object.fromEntries(Object.entries(ids).filter(([column]) => column in facts));
}

const saveAccounts = (work: Work, payments: readonly Values[]) =>
  mapConcurrently(payments, ({ id, payment_instrument_id, payment_method }) =>
    saveOrderAccount(
      work,
      { payment_id: String(id) },
      {
        payment_instrument_id: payment_instrument_id as string | null,
        method: String(payment_method),
      },
    ),
  );

const CHANGES_NOTHING: readonly string[] = [
  ...(['payment', 'fee', 'draw', 'earlier_transaction', 'assignment'] as const),
] satisfies readonly LoanRecordKind[];

/** Whether the record changes what the loan will owe. */
const isAgreement = ({ values: { kind, facts } }: Placed<'records'>) =>
  kind === 'standing' ? facts['freeze_until'] !== undefined : !CHANGES_NOTHING.includes(kind);

/** Why a record may not be drawn as it says. Then a payment is left out, and a payment plan draws nothing. */
function refuseRecord(
  { today }: Work,
  kind: string,
  facts: Values,
  account: LiableAccount | undefined,
): { code: FindingCode; reason: string } | null {
  if (kind === 'scheduled_payment' && isBefore(facts['payment_date'], today))
    return { code: 'payment_in_past', reason: IN_PAST };
  if (!isDraw(kind, facts)) return null;
  const isAch = kind !== 'scheduled_payment' || facts['payment_method'] === 'ach';
  if (account?.can_draw && isAch) return null;
  const reason = isAch
    ? `The account cannot be drawn on: it must be an active bank account of a person who owes the loan, with its full numbers. ${LEFT_OUT[kind]}`
    : NOT_ACH;
  return { code: 'account_not_usable', reason };
}

/** What the database allows once per loan. Throws `ChunkRefused` with the line of the second one. */
function assertConsistent(records: readonly Placed<'records'>[]) {
  const seen = new Set<string>();
  let shares = ZERO;
  const refuse = ({ source: file, line }: Placed<'records'>, reason: string) =>
    new ChunkRefused([{ file, line, column: 'facts', code: 'refused', severity: 'error', reason }]);
  for (const placed of records) {
    const { kind, facts } = placed.values;
    const once = (...columns: string[]) => {
      const key = JSON.stringify([kind, ...columns.map((column) => facts[column] ?? null)]);
      if (seen.has(key)) throw refuse(placed, 'The loan has such a record twice.');
      seen.add(key);
    };
    if (kind === 'standing') once();
    if (kind === 'earlier_transaction') once('transaction_id');
    if (kind === 'payment_plan' && facts['status'] === 'active') once('status');
    if (kind === 'late_fee_exemption') once('installment_number', 'due_date', 'fee_rule_id');
    if (kind === 'rate_cap') once('start_date', 'interest_rate');
    if (kind !== 'assignment') continue;
    shares = shares.plus(String(facts['ownership_percentage']));
    if (shares.gt(1)) throw refuse(placed, 'The shares of the loan exceed 100 percent.');
  }
}

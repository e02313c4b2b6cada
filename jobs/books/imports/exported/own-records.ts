import type { z } from 'zod';
import * as imported from '../../../../sql/books/import-records.ts';
import { mapConcurrently } from '../../../../sql/database/batch-by-transaction.ts';
import { newId } from '../../../../sql/new-id.ts';
import {
  BORROWER_RECORDS,
  completeRecords,
  LOAN_RECORDS,
  type BroughtRecord,
} from '../../../../sql/books/running-records.ts';
import { insertAll, type Values } from '../../../../sql/write.ts';
import { Invalid } from '../../../errors.ts';
import { updateAgreed } from '../../../loans/history/record-events.ts';
import type { LiableAccount } from '../../../../sql/books/brought-records.ts';
import { saveOrderAccount } from '../../../payments/nacha/bank-order.ts';
import { ZERO } from '../../../money.ts';
import type { Work } from '../../../work.ts';
import { ChunkRefused } from '../chunk-refused.ts';
import type { BookRow } from '../../format/book-files.ts';
import { IN_PAST, isBefore, LEFT_OUT, NOT_ACH } from '../../format/checks/own-record-checks.ts';
import type { FindingCode } from '../../format/findings.ts';
import type { LoanChunk } from '../records/import-loan-records.ts';
import { createAccountFinder } from '../records/loan-accounts.ts';
import {
  BORROWER_FACTS,
  BORROWER_RECORD_KINDS,
  isDraw,
  LOAN_FACTS,
  LOAN_RECORD_KINDS,
  type LoanFacts,
} from '../../format/own-records.ts';
import type { Placed } from '../staged-rows.ts';

type RecordRow = BookRow<'records'>;

const isOneOf = <Kind extends string>(kinds: readonly Kind[], kind: string): kind is Kind =>
  kinds.some((known) => known === kind);

/** The facts of a record, checked. Throws `Invalid`. */
export function readFacts({ kind, facts, loan_number, borrower_external_id }: RecordRow): Values {
  const isOfLoan = isOneOf(LOAN_RECORD_KINDS, kind);
  if ((loan_number === undefined) === isOfLoan)
    throw new Invalid({
      loan_number: isOfLoan ? 'Is required for this kind.' : 'Must be empty for this kind.',
    });
  if ((borrower_external_id === undefined) !== isOfLoan)
    throw new Invalid({
      borrower_external_id: isOfLoan
        ? 'Must be empty for this kind.'
        : 'Is required for this kind.',
    });
  const schema: z.ZodType<Values> = isOneOf(LOAN_RECORD_KINDS, kind)
    ? LOAN_FACTS[kind]
    : BORROWER_FACTS[kind];
  const checked = schema.safeParse(facts);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw new Invalid({
      facts: `Does not fit a record of the kind ${kind}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
    });
  }
  assertOrder(checked.data);
  return checked.data;
}

/** The database refuses a period that ends before it begins. */
function assertOrder(facts: Values) {
  for (const [from, to] of [
    ['start_date', 'end_date'],
    ['effective_date', 'end_date'],
    ['effective_date', 'payment_date'],
    ['active_duty_from', 'active_duty_until'],
  ] as const)
    if (String(facts[to] ?? '9999-12-31') < String(facts[from] ?? ''))
      throw new Invalid({ facts: `${to} must not be before ${from}.` });
  const { database, result, active_duty_from, active_duty_until } = facts;
  if (database === undefined) return;
  const isOnDuty = result === 'active_duty';
  if (result !== 'none' && isOnDuty !== (database === 'scra'))
    throw new Invalid({ facts: 'The result does not belong to this database.' });
  if (!isOnDuty && (active_duty_from ?? active_duty_until) !== undefined)
    throw new Invalid({ facts: 'Only active duty has dates.' });
}

export type LoanWithRecords = {
  id: string;
  borrower_id: string;
  records: readonly Placed<'records'>[];
  /** The new id of an event that the loan brought. */
  eventId: (old: string) => string | undefined;
  /** Its flags were set after it was boarded. */
  isFlagged: boolean;
};

export const factsOf = <Kind extends keyof typeof LOAN_FACTS>(
  records: readonly Placed<'records'>[],
  kind: Kind,
): LoanFacts<Kind>[] =>
  records
    .filter(({ values }) => values.kind === kind)
    .map(({ values }) => readFacts(values) as LoanFacts<Kind>);

/**
 * Adds the agreements and other records of loans that were just boarded, and recalculates what these loans will owe.
 * The events that the records have caused came with the loan; here they only get their new ids.
 */
export async function importLoanRecords(
  work: Work,
  importId: string,
  loans: readonly LoanWithRecords[],
  warn: LoanChunk['warn'],
) {
  const all = loans.flatMap((loan) =>
    loan.records.map((placed) => ({
      ...placed,
      loan,
      facts: readFacts(placed.values),
      id: newId(),
    })),
  );
  for (const loan of loans) assertConsistent(loan.records);
  const named = (column: string) =>
    all.flatMap(({ facts }) => (typeof facts[column] === 'string' ? [facts[column]] : []));
  const findAccount = await createAccountFinder(
    work,
    importId,
    loans.map(({ id }) => id),
    named('payment_instrument_id'),
  );
  const investors = await imported.findImportedRecords(
    work.tx,
    importId,
    'investors',
    named('investor_id'),
  );
  const plans = new Map(
    all
      .filter(({ values }) => values.kind === 'payment_plan')
      .map(({ values, id }) => [values.record_id, id]),
  );
  const find = (known: ReadonlyMap<string, string>, old: unknown) =>
    typeof old === 'string' ? (known.get(old) ?? null) : undefined;
  const rows = new Map<string, Values[]>();
  const payments: BroughtRecord[] = [];
  const fees: BroughtRecord[] = [];
  const standings: BroughtRecord[] = [];
  for (const { loan, source, line, values, facts, id } of all) {
    const { kind } = values;
    if (!isOneOf(LOAN_RECORD_KINDS, kind)) continue;
    if (kind === 'standing') {
      // The boarding has taken the date of first delinquency.
      const { boarded_delinquency_date: _, ...columns } = facts;
      standings.push({ ...columns, id: loan.id });
      continue;
    }
    if (kind === 'payment') {
      const paid = loan.eventId(values.record_id);
      const payment_instrument_id = findAccount(loan.id, facts['payment_instrument_id'])?.id;
      if (paid !== undefined) payments.push({ ...facts, id: paid, payment_instrument_id });
      continue;
    }
    if (kind === 'fee') {
      const charged = loan.eventId(values.record_id);
      const { payment_id } = facts;
      const named = typeof payment_id === 'string' ? loan.eventId(payment_id) : undefined;
      if (charged !== undefined) fees.push({ ...facts, id: charged, payment_id: named });
      continue;
    }
    const row: Values = { ...facts, id, loan_id: loan.id };
    const { event_id, event_ids } = facts;
    if (typeof event_id === 'string') row['event_id'] = loan.eventId(event_id) ?? null;
    if (Array.isArray(event_ids))
      row['event_ids'] = event_ids.flatMap((old) => loan.eventId(String(old)) ?? []);
    const account = findAccount(loan.id, facts['payment_instrument_id']);
    if ('payment_instrument_id' in facts) row['payment_instrument_id'] = account?.id ?? null;
    const refused = refuseRecord(work, kind, facts, account);
    if (refused !== null) warn({ file: source, line, column: 'facts', ...refused });
    if (refused !== null && kind === 'scheduled_payment') continue;
    if (refused !== null) {
      row['payment_instrument_id'] = null;
      row['auto_collect'] = false;
    }
    if ('payment_plan_id' in facts) row['payment_plan_id'] = find(plans, facts['payment_plan_id']);
    if (kind === 'assignment') {
      const investor_id = find(investors, facts['investor_id']);
      // The check has found the investor.
      if (!investor_id) continue;
      row['investor_id'] = investor_id;
    }
    if (kind === 'scheduled_payment') {
      row['borrower_id'] = account?.borrower_id ?? loan.borrower_id;
      row['status'] = 'scheduled';
      row['receipt_number'] = `R-${id.replaceAll('-', '').slice(-12).toUpperCase()}`;
    }
    const { table } = LOAN_RECORDS[kind];
    const others = rows.get(table);
    if (others) others.push(row);
    else rows.set(table, [row]);
  }
  await completeRecords(work.tx, 'loans', standings);
  await completeRecords(work.tx, 'payments', payments);
  await completeRecords(work.tx, 'fees', fees);
  // In the order of the kinds: a scheduled payment may name a payment plan.
  const tables = new Set(LOAN_RECORD_KINDS.map((kind) => LOAN_RECORDS[kind].table));
  for (const table of tables) await insertAll(work.tx, table, rows.get(table) ?? []);
  for (const { id, payment_instrument_id, payment_method: method } of rows.get('payments') ?? [])
    await saveOrderAccount(
      work,
      { payment_id: String(id) },
      { payment_instrument_id: payment_instrument_id as string | null, method: String(method) },
    );
  // These change nothing that a loan will owe.
  const isAgreement = ({ values: { kind, facts } }: Placed<'records'>) =>
    kind === 'standing'
      ? facts['freeze_until'] !== undefined
      : !['payment', 'fee', 'assignment'].includes(kind);
  const changed = loans.filter(({ records, isFlagged }) => isFlagged || records.some(isAgreement));
  await mapConcurrently(changed, ({ id }) => updateAgreed(work, id));
}

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
    if (kind === 'payment_plan' && facts['status'] === 'active') once('status');
    if (kind === 'late_fee_exemption') once('installment_number', 'due_date', 'fee_rule_id');
    if (kind === 'rate_cap') once('start_date', 'interest_rate');
    if (kind !== 'assignment') continue;
    shares = shares.plus(String(facts['ownership_percentage']));
    if (shares.gt(1)) throw refuse(placed, 'The shares of the loan exceed 100 percent.');
  }
}

/** The rows of a new borrower's records, by table. */
export function borrowerRecordRows(
  borrower_id: string,
  records: readonly { values: RecordRow }[],
): { table: (typeof BORROWER_RECORDS)[keyof typeof BORROWER_RECORDS]['table']; row: Values }[] {
  return records.flatMap(({ values }) =>
    isOneOf(BORROWER_RECORD_KINDS, values.kind)
      ? [
          {
            table: BORROWER_RECORDS[values.kind].table,
            row: { ...readFacts(values), borrower_id },
          },
        ]
      : [],
  );
}

import type { z } from 'zod';
import { BORROWER_RECORDS } from '../../../../sql/books/running-records.ts';
import type { Values } from '../../../../sql/write.ts';
import { Invalid } from '../../../errors.ts';
import type { BookRow } from '../../format/book-files.ts';
import {
  BORROWER_FACTS,
  BORROWER_RECORD_KINDS,
  LOAN_FACTS,
  LOAN_RECORD_KINDS,
  type LoanFacts,
} from '../../format/own-records.ts';
import type { Placed } from '../staged-rows.ts';

type RecordRow = BookRow<'records'>;

export const isOneOf = <Kind extends string>(kinds: readonly Kind[], kind: string): kind is Kind =>
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

export const factsOf = <Kind extends keyof typeof LOAN_FACTS>(
  records: readonly Placed<'records'>[],
  kind: Kind,
): LoanFacts<Kind>[] =>
  records
    .filter(({ values }) => values.kind === kind)
    .map(({ values }) => readFacts(values) as LoanFacts<Kind>);

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

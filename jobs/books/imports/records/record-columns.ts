import { z } from 'zod';
import type { Values } from '../../../../sql/write.ts';
import { assertValidDetails } from '../../../borrowers/borrower.ts';
import { consentColumns } from '../../../borrowers/consent.ts';
import { firstIdentityColumns } from '../../../borrowers/identity.ts';
import { broughtInstrumentColumns } from '../../../borrowers/payment-instrument.ts';
import { contactColumns } from '../../../borrowers/primary-contacts.ts';
import { checkValuation } from '../../../collateral/item.ts';
import { lienColumns } from '../../../collateral/lien.ts';
import { assertMetadata } from '../../../collateral/metadata.ts';
import { possessionColumns } from '../../../collateral/possession.ts';
import { addDays, latest } from '../../../dates.ts';
import { Invalid } from '../../../errors.ts';
import { Labels } from '../../../loans/servicing-actions/label.ts';
import { assertConsistent } from '../../../payments/autopay/autopay-plan.ts';
import type { Work } from '../../../work.ts';
import type { BookRow } from '../../format/book-files.ts';

/**
 * The columns of the records that rows of a book become. The check calls these functions as well, so what they refuse is
 * refused before anything is written. They read and write nothing. They throw Invalid.
 */

export function borrowerColumns(work: Work, row: BookRow<'borrowers'>): Values {
  assertValidDetails(work, row);
  const { borrower_external_id, ssn, ...columns } = row;
  return {
    ...columns,
    external_id: borrower_external_id,
    ssn_last_four: ssn?.slice(-4) ?? row.ssn_last_four,
  };
}

/** The social security number or ITIN of a borrower, as an identity. ITINs begin with 9. */
export const ssnColumns = (work: Work, borrower_id: string, ssn: string): Values =>
  firstIdentityColumns(work, {
    borrower_id,
    identity_type: ssn.startsWith('9') ? 'itin' : 'ssn',
    identifier: ssn,
  });

type OfBorrower<Row> = (work: Work, borrower_id: string, row: Row) => Values;

const withoutBorrower = <Row extends { borrower_external_id?: string | undefined }>({
  borrower_external_id: _,
  ...columns
}: Row) => columns;

export const addressColumns: OfBorrower<BookRow<'addresses'>> = (_work, borrower_id, row) =>
  contactColumns('addresses', { ...withoutBorrower(row), borrower_id });

export const emailColumns: OfBorrower<BookRow<'emails'>> = (_work, borrower_id, row) => {
  const { is_opted_out: _, ...email } = withoutBorrower(row);
  return contactColumns('emails', { ...email, borrower_id });
};

export const phoneColumns: OfBorrower<BookRow<'phones'>> = (_work, borrower_id, row) => {
  const { is_opted_out: _, ...phone } = withoutBorrower(row);
  return contactColumns('phones', { ...phone, borrower_id });
};

export const broughtConsentColumns: OfBorrower<BookRow<'consents'>> = (work, borrower_id, row) => {
  const { revoked_at, revocation_method, revocation_reason, ...granted } = withoutBorrower(row);
  if (revoked_at && !revocation_method)
    throw new Invalid({ revocation_method: 'Is required with revoked_at.' });
  if (revoked_at && Date.parse(revoked_at) < Date.parse(row.granted_at))
    throw new Invalid({ revoked_at: 'Must not be before the consent was granted.' });
  const source = row.source ?? 'import';
  return {
    ...consentColumns(work, { ...granted, source, borrower_id }),
    ...(revoked_at && { revoked_at, revocation_method, revocation_reason }),
  };
};

export const identityColumns: OfBorrower<BookRow<'identities'>> = (work, borrower_id, row) =>
  firstIdentityColumns(work, { ...withoutBorrower(row), borrower_id });

export const accountColumns: OfBorrower<BookRow<'bank_accounts'>> = (work, borrower_id, row) => {
  const { bank_account_id: _, instrument_type = 'bank_account', ...account } = withoutBorrower(row);
  return broughtInstrumentColumns(work, { ...account, instrument_type, borrower_id });
};

export function collateralColumns(
  work: Work,
  loan_id: string,
  { collateral_id: _, loan_number: __, ...row }: BookRow<'collateral'>,
): Values {
  const { collateral_type, metadata = {}, status = 'active' } = row;
  assertMetadata(collateral_type, metadata);
  const item = { ...row, status, collateral_type };
  return { ...row, status, metadata, loan_id, ...possessionColumns(work, null, item) };
}

export function broughtLienColumns(
  collateral_id: string,
  { collateral_id: _, ...row }: BookRow<'liens'>,
): Values {
  return { ...lienColumns({ ...row, collateral_id }), status: row.status ?? 'active' };
}

export function valuationColumns(
  work: Work,
  collateral_id: string,
  { collateral_id: _, ...row }: BookRow<'valuations'>,
): Values {
  checkValuation(work, row);
  return { ...row, collateral_id };
}

/** Draws are made at most 30 days before their due date. */
const DRAWN_AHEAD_DAYS = 62;

export function autopayColumns(
  { today }: Work,
  {
    loan_number: _,
    borrower_external_id: __,
    bank_account_id: ___,
    backup_bank_account_id: ____,
    authorized_at,
    drawn_through,
    ...terms
  }: BookRow<'autopay'>,
): Values & { start_date: string } {
  const start_date = terms.start_date ?? today;
  assertConsistent({ today }, { ...terms, start_date });
  if (authorized_at && Date.parse(authorized_at) > Date.now())
    throw new Invalid({ authorized_at: 'Must not be in the future.' });
  if (drawn_through && drawn_through > addDays(today, DRAWN_AHEAD_DAYS))
    throw new Invalid({
      drawn_through: `Must be at most ${DRAWN_AHEAD_DAYS} days after the business date. Correct the date.`,
    });
  // The old system may have drawn until the move, so nothing is drawn twice.
  const yesterday = addDays(today, -1);
  return { ...terms, start_date, drawn_through: latest(drawn_through ?? yesterday, yesterday) };
}

/** A note keeps who wrote it, because the authors of another system are not users here. */
export function noteColumns(
  borrower_id: string,
  loan_id: string | null,
  row: BookRow<'notes'>,
): Values {
  const { author, written_at, body, subject, category, visibility, is_pinned } = row;
  return {
    borrower_id,
    loan_id,
    subject,
    category,
    visibility,
    is_pinned,
    body: author ? `${body}\n\n${author}` : body,
    created_at: written_at,
  };
}

/** Labels as the platform stores them. */
export function labelsOf(labels: readonly string[]): string[] {
  const read = Labels.safeParse({ labels });
  if (read.success) return [...new Set(read.data.labels)];
  throw new Invalid({ labels: z.prettifyError(read.error) });
}

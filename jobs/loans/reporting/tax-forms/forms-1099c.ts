import { dictionary } from '../../../../sql/dictionary.ts';
import * as forms from '../../../../sql/loans/forms-1099c.ts';
import type { RawLoan } from '../../../../sql/loans/loans.ts';
import * as records from '../../../../sql/loans/records.ts';
import type { Row } from '../../../../sql/table.ts';
import { update, type Values } from '../../../../sql/write.ts';
import { Conflict, Invalid } from '../../../errors.ts';
import { parseMoney } from '../../../money.ts';
import type { Work } from '../../../work.ts';
import { findFormDebtors } from '../../outcomes/debtors-1099c.ts';
import { principalForgiven } from '../../outcomes/forgiven-principal.ts';
import {
  closeDebtorTasks,
  EVENT_CODE_LIST,
  orderDebtorCopy,
  readFormParties,
  withdrawSettingsTask,
  createForm1099C,
  type EventCode,
} from '../../outcomes/form-1099c.ts';
import { eventsInForce } from '../../engine/event-order.ts';
import { openLoan } from '../../history/open-loan.ts';
import { immutableConflict, lockLoanAndRecord, openInService } from '../../history/loan-records.ts';

export const FORM_STATUSES = [
  ...(['draft', 'generated', 'furnished', 'filed', 'corrected', 'void'] as const),
] as const;

const FUNDED = ['active', 'paid_off', 'charged_off', 'settled', 'transferred'];

type NewForm = {
  loan_id: string;
  borrower_id?: string | null | undefined;
  tax_year?: number | null | undefined;
  identifiable_event_code?: EventCode | null | undefined;
  identifiable_event_date?: string | null | undefined;
  amount_discharged?: string | null | undefined;
  principal_forgiven?: string | null | undefined;
  interest_included?: string | null | undefined;
  debt_description?: string | null | undefined;
  personally_liable?: boolean | undefined;
  fair_market_value?: string | null | undefined;
  notes?: string | null | undefined;
};

/**
 * Creates forms 1099-C manually, for one debtor or for all who need one, and returns the first. There is no
 * minimum amount. The event code is never guessed, because it tells the IRS why the debt was canceled.
 */
export async function add1099C(work: Work, input: NewForm): Promise<string> {
  const loan = await openInService(work, input.loan_id, FUNDED);
  const { charge_off_amount, charged_off_on } = await forms.readChargeOff(work.tx, loan.row.id);
  const year = input.tax_year ?? Number((input.identifiable_event_date ?? work.today).slice(0, 4));
  const counted = { ...loan, events: eventsInForce(loan.events, work.today) };
  const forgiven = [principalForgiven(counted, year), principalForgiven(counted)].find(
    ({ first_on }) => first_on !== null,
  );
  const { amount, code, date, tax_year } = assertComplete(work, {
    code: input.identifiable_event_code,
    date: input.identifiable_event_date ?? forgiven?.first_on ?? charged_off_on,
    tax_year: input.tax_year,
    amount:
      input.amount_discharged ?? input.principal_forgiven ?? forgiven?.amount ?? charge_off_amount,
  });
  const debtors = await findMissingDebtors(work, loan.row, input.borrower_id, {
    code,
    tax_year,
    date,
    amount,
  });
  const ids: string[] = [];
  for (const debtor of debtors)
    ids.push(
      await createForm1099C(work, loan.row, debtor, {
        tax_year,
        identifiable_event_code: code,
        amount_discharged: amount,
        source: 'manual',
        identifiable_event_date: date,
        interest_included: input.interest_included ?? '0.00',
        personally_liable: input.personally_liable ?? true,
        ...(input.debt_description && { debt_description: input.debt_description }),
        fair_market_value: input.fair_market_value,
        notes: input.notes,
      }),
    );
  return ids[0] ?? '';
}

type Event = { code: EventCode; tax_year: number; date: string; amount: string };

/** Throws Invalid for each box that was neither given nor recorded with the loan. */
function assertComplete(
  { today }: Work,
  { amount, code, date, tax_year: given }: { [Key in keyof Event]?: Event[Key] | null | undefined },
): Event {
  const errors: Record<string, string> = {};
  if (!amount || parseMoney(amount).lte(0))
    errors['amount_discharged'] = 'Nothing was forgiven or charged off. Give the amount.';
  if (!code) errors['identifiable_event_code'] = `Is required: ${EVENT_CODE_LIST}.`;
  if (!date)
    errors['identifiable_event_date'] = 'Nothing was forgiven or charged off. Give the date.';
  else if (date > today) errors['identifiable_event_date'] = 'Must not be after the business date.';
  const tax_year = Number(date?.slice(0, 4));
  if (date && given && given !== tax_year)
    errors['tax_year'] = `Must be ${tax_year}, the year of the event of ${date}.`;
  if (!amount || !code || !date || Object.keys(errors).length > 0) throw new Invalid(errors);
  return { amount, code, date, tax_year };
}

/** The debtors who need this form and do not have it. Throws Conflict if there are none. */
async function findMissingDebtors(
  work: Work,
  loan: RawLoan,
  named: string | null | undefined,
  { code, tax_year, date: on, amount }: Event,
): Promise<string[]> {
  if (named && !(await forms.wasDebtor(work.tx, loan.id, named)))
    throw new Invalid({ borrower_id: 'Does not owe this loan.' });
  const debtors = named ? [named] : await findFormDebtors(work, loan, { on, amount });
  // 11 USC 524(e): the discharge of one debtor does not release the others.
  if (code === 'A' && debtors.length > 1)
    throw new Invalid({ borrower_id: 'Is required: a bankruptcy discharges its debtor only.' });
  const inForce = await forms.lockFormsInForce(work.tx, loan.id, code, tax_year);
  const missing = debtors.filter((debtor) => !inForce.some((form) => form.borrower_id === debtor));
  if (missing.length > 0) return missing;
  throw formExists({
    identifiable_event_code: code,
    tax_year,
  });
}

/**
 * Completes a draft: stores the current creditor and debtor, and orders the debtor's copy. Throws Conflict if the
 * debtor's taxpayer number is missing and the debtor was not asked for it.
 */
async function finish(work: Work, id: string) {
  const { loan_id, tin_requested_on, ...boxes } = await forms.readDraft(work.tx, id);
  const { row } = await openLoan(work, loan_id);
  const { is_deceased: _, ...parties } = await readFormParties(work, boxes.borrower_id);
  if (parties.debtor_tin_last_four === null && tin_requested_on === null) {
    throw tinMissing();
  }
  const document_id = await orderDebtorCopy(work, row, { ...boxes, ...parties });
  await update(work.tx, 'forms_1099c', id, { ...parties, document_id });
  await closeDebtorTasks(work, { id, form_number: boxes.form_number }, 'completed');
}

/** The status changes that staff may make. */
const NEXT = dictionary<readonly string[]>({
  draft: ['generated', 'void'],
  generated: ['furnished', 'filed', 'void'],
  furnished: ['filed', 'void'],
});

/** The debtor or the IRS has a form in these statuses. */
const SENT: readonly unknown[] = ['furnished', 'filed'];

/** Changes a form's status or notes. Its boxes never change: a corrected form replaces it. */
export async function change1099C(work: Work, id: string, changes: Values, row: Row) {
  const form = await lockLoanAndRecord(work, 'forms_1099c', row);
  const { status, ...described } = changes;
  if (String(described['tin_requested_on'] ?? '') > work.today)
    throw new Invalid({ tin_requested_on: 'Must not be after the business date.' });
  await update(work.tx, 'forms_1099c', id, described);
  if (status !== undefined && status !== form.status) {
    if (!NEXT[form.status]?.includes(String(status))) throw immutableConflict('form', form.status);
    if (status === 'void') assertNoCorrection(row, form.status);
    if (form.status === 'draft' && status === 'generated') await finish(work, id);
    await records.setRecordStatus(work.tx, 'forms_1099c', id, String(status));
    if (status === 'void') await withdrawTaskAfterVoid(work, row);
  }
  if (SENT.includes(status)) await update(work.tx, 'forms_1099c', id, { was_sent: true });
}

/** Without its correction, a form that was sent would stay wrong with the debtor and the IRS. */
function assertNoCorrection({ was_sent }: Row, current_status: string) {
  if (was_sent !== true || SENT.includes(current_status)) return;
  throw correctsSentForm(current_status);
}

/** Voids a form that was not furnished yet. */
export async function void1099C(work: Work, id: string, row: Row) {
  const form = await lockLoanAndRecord(work, 'forms_1099c', row);
  if (!['draft', 'generated'].includes(form.status)) throw immutableConflict('form', form.status);
  assertNoCorrection(row, form.status);
  await records.setRecordStatus(work.tx, 'forms_1099c', id, 'void');
  await withdrawTaskAfterVoid(work, row);
}

async function withdrawTaskAfterVoid(
  work: Work,
  { id, loan_id, account_number, form_number }: Row,
) {
  await withdrawSettingsTask(work, { id: String(loan_id), loan_number: String(account_number) });
  await closeDebtorTasks(work, { id, form_number: String(form_number) }, 'canceled');
}

export const formExists = (facts: { identifiable_event_code: string; tax_year: number }) =>
  new Conflict('A form for this event and year already exists.', 'already_exists', facts);

export const tinMissing = () =>
  new Conflict(
    "The debtor's taxpayer number is missing. Enter it in the borrower's identities, or ask the debtor for it and set tin_requested_on.",
    'tin_missing',
    { current_status: 'draft' },
  );

export const correctsSentForm = (current_status: string) =>
  new Conflict(
    'This form corrects one that was sent. Furnish and file it instead of voiding it.',
    'corrects_sent_form',
    { current_status },
  );

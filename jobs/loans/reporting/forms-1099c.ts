import { dictionary } from '../../../sql/dictionary.ts';
import * as forms from '../../../sql/loans/forms-1099c.ts';
import * as records from '../../../sql/loans/records.ts';
import type { Row } from '../../../sql/table.ts';
import { update, type Values } from '../../../sql/write.ts';
import { Conflict, Invalid } from '../../errors.ts';
import { parseMoney } from '../../money.ts';
import type { Work } from '../../work.ts';
import { principalForgiven } from '../outcomes/forgiven-principal.ts';
import {
  orderDebtorCopy,
  readFormParties,
  withdrawSettingsTask,
  createForm1099C,
  type EventCode,
} from '../outcomes/form-1099c.ts';
import { eventsInForce } from '../engine/event-order.ts';
import { openLoan } from '../history/open-loan.ts';
import { immutableConflict, lockLoanAndRecord, openInService } from '../history/loan-records.ts';

export const FORM_STATUSES = [
  ...(['draft', 'generated', 'furnished', 'filed', 'corrected', 'void'] as const),
] as const;

const FUNDED = ['active', 'paid_off', 'charged_off', 'settled', 'transferred'];

/** The event code (box 6) that each charge-off reason leads to. */
const CODES = dictionary<EventCode>({
  bankruptcy: 'A',
  statute_of_limitations: 'C',
  repossession: 'D',
  settlement: 'F',
});

type NewForm = {
  loan_id: string;
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

/** Creates a Form 1099-C manually. Missing fields are derived from the loan. There is no minimum amount. */
export async function add1099C(work: Work, input: NewForm): Promise<string> {
  const loan = await openInService(work, input.loan_id, FUNDED);
  const debtor = await forms.readDebtor(work.tx, loan.row.id);
  const tax_year = input.tax_year ?? Number(work.today.slice(0, 4));
  const counted = { ...loan, events: eventsInForce(loan.events, work.today) };
  const forgiven = [principalForgiven(counted, tax_year), principalForgiven(counted)].find(
    ({ first_on }) => first_on !== null,
  );
  const amount =
    input.amount_discharged ??
    input.principal_forgiven ??
    forgiven?.amount ??
    debtor.charge_off_amount;
  if (!amount || parseMoney(amount).lte(0))
    throw new Invalid({
      amount_discharged: 'Nothing was forgiven or charged off. Give the amount.',
    });
  const derived = forgiven ? 'F' : (CODES[debtor.charge_off_reason ?? ''] ?? 'G');
  const code = input.identifiable_event_code ?? derived;
  if ((await forms.findFormInForce(work.tx, loan.row.id, code, tax_year)) !== null) {
    throw new Conflict('A form for this event and year already exists.', 'already_exists', {
      identifiable_event_code: code,
      tax_year,
    });
  }
  return createForm1099C(work, loan.row, {
    tax_year,
    identifiable_event_code: code,
    amount_discharged: amount,
    source: 'manual',
    identifiable_event_date:
      input.identifiable_event_date ?? forgiven?.first_on ?? debtor.charged_off_on ?? work.today,
    interest_included: input.interest_included ?? '0.00',
    personally_liable: input.personally_liable ?? true,
    ...(input.debt_description && { debt_description: input.debt_description }),
    fair_market_value: input.fair_market_value,
    notes: input.notes,
  });
}

/** Completes a draft: stores the current creditor and debtor, and orders the debtor's copy. */
async function finish(work: Work, id: string) {
  const { loan_id, ...boxes } = await forms.readDraft(work.tx, id);
  const { row } = await openLoan(work, loan_id);
  const parties = await readFormParties(work, row);
  const document_id = await orderDebtorCopy(work, row, { ...boxes, ...parties });
  await update(work.tx, 'forms_1099c', id, { ...parties, document_id });
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
  if (status !== undefined && status !== form.status) {
    if (!NEXT[form.status]?.includes(String(status))) throw immutableConflict('form', form.status);
    if (status === 'void') assertNoCorrection(row, form.status);
    if (form.status === 'draft' && status === 'generated') await finish(work, id);
    await records.setRecordStatus(work.tx, 'forms_1099c', id, String(status));
    if (status === 'void') await withdrawTaskAfterVoid(work, row);
  }
  const sent = SENT.includes(status) ? { was_sent: true } : {};
  await update(work.tx, 'forms_1099c', id, { ...described, ...sent });
}

/** Without its correction, a form that was sent would stay wrong with the debtor and the IRS. */
function assertNoCorrection({ was_sent }: Row, current_status: string) {
  if (was_sent !== true || SENT.includes(current_status)) return;
  throw new Conflict(
    'This form corrects one that was sent. Furnish and file it instead of voiding it.',
    'corrects_sent_form',
    { current_status },
  );
}

/** Voids a form that was not furnished yet. */
export async function void1099C(work: Work, id: string, row: Row) {
  const form = await lockLoanAndRecord(work, 'forms_1099c', row);
  if (!['draft', 'generated'].includes(form.status)) throw immutableConflict('form', form.status);
  assertNoCorrection(row, form.status);
  await records.setRecordStatus(work.tx, 'forms_1099c', id, 'void');
  await withdrawTaskAfterVoid(work, row);
}

const withdrawTaskAfterVoid = (work: Work, { loan_id, account_number }: Row) =>
  withdrawSettingsTask(work, { id: String(loan_id), loan_number: String(account_number) });

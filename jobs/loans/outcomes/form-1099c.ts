import { findOpenTask, cancelTasks, closeTasks } from '../../../sql/borrowers/tasks.ts';
import * as recipients from '../../../sql/communications/recipients.ts';
import * as forms from '../../../sql/loans/forms-1099c.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import * as records from '../../../sql/loans/records.ts';
import { currentTenant } from '../../../sql/tenants.ts';
import { insert, type Values } from '../../../sql/write.ts';
import { addDays } from '../../dates.ts';
import { assertRequiredSettings, hasRequiredSettings } from '../../documents/required-settings.ts';
import { orderDocument } from '../../documents/order-document.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';

/** Box 6, from the IRS, Instructions for Forms 1099-A and 1099-C, "Identifiable Event Code". */
export const EVENT_CODES = {
  A: 'bankruptcy',
  B: 'other judicial debt relief',
  C: 'statute of limitations or expiration of the deficiency period',
  D: 'foreclosure election',
  E: 'debt relief from probate or a similar proceeding',
  F: 'by agreement',
  G: 'decision or policy to discontinue collection',
  H: 'other actual discharge before an identifiable event',
} as const;
export type EventCode = keyof typeof EVENT_CODES;

export const EVENT_CODE_LIST = Object.entries(EVENT_CODES)
  .map(([code, event]) => `${code} ${event}`)
  .join(', ');

/** Days that a draft may wait for settings, a taxpayer number or an estate. */
const DRAFT_DAYS = 30;

type Loan = Pick<RawLoan, 'id' | 'loan_number' | 'borrower_id'>;
type Numbered = { form_number: string };

type Boxes = Values & {
  tax_year: number;
  identifiable_event_code: EventCode;
  identifiable_event_date: string;
  amount_discharged: string;
  interest_included: string;
  personally_liable: boolean;
  debt_description?: string;
  is_corrected?: boolean;
  tin_requested_on?: string | null;
  fair_market_value?: string | null | undefined;
};

/**
 * Creates the form of one debtor and orders the debtor's copy. Without the lender's settings or the debtor's
 * taxpayer number, or if the debtor has died, the form is a draft with a task.
 */
export async function createForm1099C(
  work: Work,
  row: Loan,
  borrower_id: string,
  boxes: Boxes,
): Promise<string> {
  const number = (await records.countRecords(work.tx, 'forms_1099c', row.id)) + 1;
  const { is_deceased, ...parties } = await readFormParties(work, borrower_id);
  const form = {
    ...parties,
    borrower_id,
    debt_description: `Loan ${row.loan_number}`,
    form_number: `1099C-${boxes.tax_year}-${row.loan_number}-${number}`,
    account_number: row.loan_number,
    is_corrected: false,
    ...boxes,
  };
  // Missing lender settings must not block a payment or a workout, so the form becomes a draft.
  const isUnset = boxes.source === 'system' && !(await hasRequiredSettings(work, 'form_1099c'));
  if (!isUnset) await assertRequiredSettings(work, 'form_1099c');
  const lacksTin = form.debtor_tin_last_four === null && !boxes.tin_requested_on;
  const isDraft = isUnset || is_deceased || lacksTin;
  const document_id = isDraft ? null : await orderDebtorCopy(work, row, form);
  const id = await insert(work.tx, 'forms_1099c', {
    ...form,
    ...(isDraft && { status: 'draft' }),
    document_id,
    created_by: work.actor.id,
    loan_id: row.id,
  });
  if (isUnset) await createSettingsTask(work, row);
  const filed = { id, loan_id: row.id, borrower_id };
  if (lacksTin) await createDebtorTask(work, filed, tinTask(form));
  if (is_deceased) await createDebtorTask(work, filed, estateTask(form));
  return id;
}

type Form = Omit<forms.Draft, 'loan_id' | 'fair_market_value' | 'tin_requested_on'> &
  Omit<Awaited<ReturnType<typeof readFormParties>>, 'is_deceased'> & {
    fair_market_value?: string | null | undefined;
  };

/**
 * The debtor's copy shows the creditor's full taxpayer number (26 CFR 301.6109-4(b)). The form's row stores
 * only the last four digits.
 */
export async function orderDebtorCopy(work: Work, row: Loan, form: Form) {
  const { tax } = await settingsOf(work.tx);
  const digits = tax.payer_tin.replace('-', '');
  return orderDocument(work, {
    template: 'form_1099c',
    document_type: 'other',
    filename: `form-1099c-${form.tax_year}.pdf`,
    borrower_id: form.borrower_id,
    loan_id: row.id,
    data: {
      ...form,
      tax_year: String(form.tax_year),
      creditor_tin: `${digits.slice(0, 2)}-${digits.slice(2)}`,
      fair_market_value: form.fair_market_value ?? null,
    },
  });
}

const settingsTaskTitle = ({ loan_number }: Pick<Loan, 'loan_number'>) =>
  `Complete the settings for form 1099-C, then generate the form of ${loan_number}`;

async function createSettingsTask({ tx, today }: Work, loan: Loan) {
  const title = settingsTaskTitle(loan);
  if ((await findOpenTask(tx, loan.id, title)) !== null) return;
  await insert(tx, 'tasks', {
    title,
    borrower_id: loan.borrower_id,
    loan_id: loan.id,
    task_type: 'compliance',
    due_date: addDays(today, DRAFT_DAYS),
    priority: 'high',
    source: 'system',
    related_type: 'loan',
    related_id: loan.id,
  });
}

/** The creditor must ask for a missing number, and how (26 CFR 1.6050P-1(e)(7), 301.6724-1(e)(2); 26 USC 6723). */
const tinTask = ({ form_number }: Numbered) => ({
  title: `Get the taxpayer number for form ${form_number}`,
  description:
    "Ask the debtor in writing for the taxpayer number, with a Form W-9 and a return envelope. Say that the law requires it and that the IRS may charge 50.00 for not giving it. Enter it in the borrower's identities and generate the form. If the debtor does not answer, set tin_requested_on and generate the form without the number.",
});

const estateTask = ({ form_number }: Numbered) => ({
  title: `Check who receives form ${form_number}`,
  description:
    'The debtor has died. A debt that was canceled after the death belongs to the estate, which has its own taxpayer number. Generate the form if it is right for the debtor, otherwise void it.',
});

async function createDebtorTask(
  { tx, today }: Work,
  { id, loan_id, borrower_id }: { id: string; loan_id: string; borrower_id: string },
  { title, description }: { title: string; description: string },
) {
  await insert(tx, 'tasks', {
    title,
    description,
    borrower_id,
    loan_id,
    task_type: 'compliance',
    due_date: addDays(today, DRAFT_DAYS),
    priority: 'high',
    source: 'system',
    related_type: 'form_1099c',
    related_id: id,
  });
}

/** Closes the tasks about the debtor once the form is no longer a draft. */
export async function closeDebtorTasks(
  { tx }: Work,
  form: Numbered & { id: string },
  status: 'completed' | 'canceled',
) {
  await closeTasks(tx, form.id, [tinTask(form).title, estateTask(form).title], status);
}

/** Cancels the settings task once no draft of the loan needs it. */
export async function withdrawSettingsTask({ tx }: Work, loan: Pick<Loan, 'id' | 'loan_number'>) {
  if (await forms.hasDraft(tx, loan.id)) return;
  await cancelTasks(tx, loan.id, [settingsTaskTitle(loan)]);
}

/** The creditor and the debtor as the form shows them. `debtor_tin_last_four` is null if it is missing. */
export async function readFormParties(work: Work, borrowerId: string) {
  const { name } = await currentTenant(work.tx);
  const { tax, branding } = await settingsOf(work.tx);
  const { address_line_1, address_line_2, support_phone } = branding;
  const own = [address_line_1, address_line_2].filter(Boolean).join(', ');
  const debtor = await forms.readDebtor(work.tx, borrowerId);
  const [recipient] = await recipients.findRecipients(work.tx, [borrowerId]);
  return {
    creditor_name: tax.payer_name || name,
    creditor_tin_last_four: tax.payer_tin.slice(-4),
    creditor_address: tax.payer_address || own,
    creditor_phone: support_phone || null,
    debtor_name: debtor.name,
    debtor_tin_last_four: debtor.tin_last_four,
    debtor_address: (recipient?.address_lines ?? []).join(', '),
    is_deceased: recipient?.conditions.includes('deceased') ?? false,
  };
}

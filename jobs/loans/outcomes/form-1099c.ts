import { findOpenTask, cancelTasks } from '../../../sql/borrowers/tasks.ts';
import * as recipients from '../../../sql/communications/recipients.ts';
import * as forms from '../../../sql/loans/forms-1099c.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import * as records from '../../../sql/loans/records.ts';
import { currentTenant } from '../../../sql/tenants.ts';
import { insert, type Values } from '../../../sql/write.ts';
import { addDays } from '../../dates.ts';
import { hasRequiredSettings } from '../../documents/required-settings.ts';
import { orderDocument } from '../../documents/order-document.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';

export const EVENT_CODES = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'] as const;
export type EventCode = (typeof EVENT_CODES)[number];

/** Days that a draft may wait for the lender's settings. */
const DRAFT_DAYS = 30;

type Loan = Pick<RawLoan, 'id' | 'loan_number' | 'borrower_id'>;

type Boxes = Values & {
  tax_year: number;
  identifiable_event_code: EventCode;
  identifiable_event_date: string;
  amount_discharged: string;
  interest_included: string;
  personally_liable: boolean;
  debt_description?: string;
  is_corrected?: boolean;
  fair_market_value?: string | null | undefined;
};

/** Creates the form with its parties and orders the debtor's copy. */
export async function createForm1099C(work: Work, row: Loan, boxes: Boxes): Promise<string> {
  const number = (await records.countRecords(work.tx, 'forms_1099c', row.id)) + 1;
  const form = {
    ...(await readFormParties(work, row)),
    debt_description: `Loan ${row.loan_number}`,
    form_number: `1099C-${boxes.tax_year}-${row.loan_number}-${number}`,
    account_number: row.loan_number,
    is_corrected: false,
    ...boxes,
  };
  // Missing lender settings must not block a payment or a workout, so the form becomes a draft.
  const isDraft = boxes.source === 'system' && !(await hasRequiredSettings(work, 'form_1099c'));
  const document_id = isDraft ? null : await orderDebtorCopy(work, row, form);
  if (isDraft) await createSettingsTask(work, row);
  return insert(work.tx, 'forms_1099c', {
    ...form,
    ...(isDraft && { status: 'draft' }),
    document_id,
    created_by: work.actor.id,
    loan_id: row.id,
  });
}

type Form = Omit<forms.Draft, 'loan_id' | 'fair_market_value'> &
  Awaited<ReturnType<typeof readFormParties>> & { fair_market_value?: string | null | undefined };

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
    borrower_id: row.borrower_id,
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

/** Cancels the settings task once no draft of the loan needs it. */
export async function withdrawSettingsTask({ tx }: Work, loan: Pick<Loan, 'id' | 'loan_number'>) {
  if (await forms.hasDraft(tx, loan.id)) return;
  await cancelTasks(tx, loan.id, [settingsTaskTitle(loan)]);
}

export async function readFormParties(work: Work, row: Loan) {
  const { name } = await currentTenant(work.tx);
  const { tax, branding } = await settingsOf(work.tx);
  const { address_line_1, address_line_2, support_phone } = branding;
  const own = [address_line_1, address_line_2].filter(Boolean).join(', ');
  const debtor = await forms.readDebtor(work.tx, row.id);
  const [recipient] = await recipients.findRecipients(work.tx, [row.borrower_id]);
  return {
    creditor_name: tax.payer_name || name,
    creditor_tin_last_four: tax.payer_tin.slice(-4),
    creditor_address: tax.payer_address || own,
    creditor_phone: support_phone || null,
    debtor_name: debtor.name,
    debtor_tin_last_four: debtor.tin_last_four,
    debtor_address: (recipient?.address_lines ?? []).join(', '),
  };
}

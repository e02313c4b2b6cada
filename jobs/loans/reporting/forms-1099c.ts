import * as recipients from '../../../sql/communications/recipients.ts';
import { dictionary } from '../../../sql/dictionary.ts';
import * as forms from '../../../sql/loans/forms-1099c.ts';
import * as records from '../../../sql/loans/records.ts';
import type { Row } from '../../../sql/table.ts';
import { current } from '../../../sql/tenants.ts';
import { insert, update, type Values } from '../../../sql/write.ts';
import { addDays } from '../../dates.ts';
import { canBeTold } from '../../documents/complete.ts';
import { orderDocument } from '../../documents/order.ts';
import { Conflict, Invalid } from '../../errors.ts';
import { parseMoney } from '../../money.ts';
import { settingsOf } from '../../users/settings.ts';
import type { Work } from '../../work.ts';
import { openLoan, type OpenLoan } from '../history/happen.ts';
import { immutable, lockRecord, openInService } from '../history/loan-records.ts';
import { principalForgiven } from './forgiven.ts';

export const EVENT_CODES = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'] as const;
export type EventCode = (typeof EVENT_CODES)[number];
export const FORM_STATUSES = [
  ...(['draft', 'generated', 'furnished', 'filed', 'corrected', 'void'] as const),
] as const;

/** Forgiven principal of a year from which the form is made by itself (26 CFR 1.6050P-1). */
const THRESHOLD = '600.00';

/** How long a draft may wait for the lender's settings. */
const DRAFT_DAYS = 30;

const FUNDED = ['active', 'paid_off', 'charged_off', 'settled', 'transferred'];

/** What a charge-off's reason means for box 6 once collection has stopped. */
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

/** Makes a form by hand. What is not said is derived from the loan; there is no least amount. */
export async function add1099C(work: Work, input: NewForm): Promise<string> {
  const loan = await openInService(work, input.loan_id, FUNDED);
  const debtor = await forms.debtor(work.tx, loan.row.id);
  const tax_year = input.tax_year ?? Number(work.today.slice(0, 4));
  const forgiven = [principalForgiven(loan, tax_year), principalForgiven(loan)].find(
    ({ first_on }) => first_on !== null,
  );
  const amount =
    input.amount_discharged ??
    input.principal_forgiven ??
    forgiven?.amount ??
    debtor.charge_off_amount;
  if (!amount || parseMoney(amount).lte(0))
    throw new Invalid({ amount_discharged: 'Nothing was forgiven or charged off: say how much.' });
  const derived = forgiven ? 'F' : (CODES[debtor.charge_off_reason ?? ''] ?? 'G');
  const code = input.identifiable_event_code ?? derived;
  if ((await forms.inForce(work.tx, loan.row.id, code, tax_year)) !== null) {
    throw new Conflict('There is a form for this event and year already.', 'already_exists', {
      identifiable_event_code: code,
      tax_year,
    });
  }
  return write(work, loan, {
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

/** The code of a discharge that lender and borrower agree on. */
const BY_AGREEMENT = 'F';

/**
 * Makes the form that the law asks for when so much principal was forgiven in this year; more
 * forgiven later in the year corrects the form.
 */
export async function reportForgiveness(work: Work, loanId: string) {
  const loan = await openLoan(work, loanId);
  const tax_year = Number(work.today.slice(0, 4));
  const { amount, first_on } = principalForgiven(loan, tax_year);
  if (first_on === null || parseMoney(amount).lt(THRESHOLD)) return;
  const before = await forms.inForce(work.tx, loanId, BY_AGREEMENT, tax_year);
  if (before?.amount_discharged === amount) return;
  if (before) await records.setStatus(work.tx, 'forms_1099c', before.id, 'corrected');
  await write(work, loan, {
    tax_year,
    identifiable_event_code: BY_AGREEMENT,
    amount_discharged: amount,
    source: 'system',
    identifiable_event_date: first_on,
    interest_included: '0.00',
    personally_liable: true,
    ...(before && { is_corrected: true, corrects_form_id: before.id }),
  });
}

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

/** Writes the form with its parties, and orders the copy for the debtor. */
async function write(work: Work, { row }: OpenLoan, given: Boxes): Promise<string> {
  const number = (await records.countOf(work.tx, 'forms_1099c', row.id)) + 1;
  const form = {
    ...(await partiesOf(work, row)),
    debt_description: `Loan ${row.loan_number}`,
    form_number: `1099C-${given.tax_year}-${row.loan_number}-${number}`,
    account_number: row.loan_number,
    is_corrected: false,
    ...given,
  };
  // A payment or an agreement is not held up because the lender has not said who it is.
  const isDraft = given.source === 'system' && !(await canBeTold(work, 'form_1099c'));
  const document_id = isDraft ? null : await orderCopy(work, row, form);
  if (isDraft) await askForSettings(work, row);
  return insert(work.tx, 'forms_1099c', {
    ...form,
    ...(isDraft && { status: 'draft' }),
    document_id,
    created_by: work.actor.id,
    loan_id: row.id,
  });
}

type Form = Omit<forms.Draft, 'loan_id' | 'fair_market_value'> &
  Awaited<ReturnType<typeof partiesOf>> & { fair_market_value?: string | null | undefined };

/** The debtor's copy has the creditor's whole number (26 CFR 301.6109-4(b)); nothing else keeps it. */
async function orderCopy(work: Work, row: Loan, form: Form) {
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

const askForSettings = (work: Work, { id, borrower_id, loan_number }: Loan) =>
  insert(work.tx, 'tasks', {
    borrower_id,
    loan_id: id,
    title: `Complete the settings for form 1099-C, then generate the form of ${loan_number}`,
    task_type: 'compliance',
    due_date: addDays(work.today, DRAFT_DAYS),
    priority: 'high',
    source: 'system',
    related_type: 'loan',
    related_id: id,
  });

/** Makes a form of a draft: its parties as they are now, and the copy for the debtor. */
async function finish(work: Work, id: string) {
  const { loan_id, ...boxes } = await forms.draft(work.tx, id);
  const { row } = await openLoan(work, loan_id);
  const parties = await partiesOf(work, row);
  const document_id = await orderCopy(work, row, { ...boxes, ...parties });
  await update(work.tx, 'forms_1099c', id, { ...parties, document_id });
}

type Loan = OpenLoan['row'];

async function partiesOf(work: Work, row: Loan) {
  const { name } = await current(work.tx);
  const { tax, branding } = await settingsOf(work.tx);
  const { address_line_1, address_line_2, support_phone } = branding;
  const own = [address_line_1, address_line_2].filter(Boolean).join(', ');
  const debtor = await forms.debtor(work.tx, row.id);
  const [recipient] = await recipients.byIds(work.tx, [row.borrower_id]);
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

/** How far a form may go by hand. */
const NEXT = dictionary<readonly string[]>({
  draft: ['generated', 'void'],
  generated: ['furnished', 'filed', 'void'],
  furnished: ['filed', 'void'],
});

/** A form is furnished, filed or made void; its boxes are corrected by another form. */
export async function change1099C(work: Work, id: string, changes: Values, row: Row) {
  const form = await lockRecord(work, 'forms_1099c', row);
  // Another word for a box when the form is made; like all boxes, it stays.
  const { status, principal_forgiven: _, ...described } = changes;
  if (status !== undefined && status !== form.status) {
    if (!NEXT[form.status]?.includes(String(status))) throw immutable('form', form.status);
    if (form.status === 'draft' && status === 'generated') await finish(work, id);
    await records.setStatus(work.tx, 'forms_1099c', id, String(status));
  }
  await update(work.tx, 'forms_1099c', id, described);
}

/** Removing a form that was not furnished makes it void. */
export async function void1099C(work: Work, id: string, row: Row) {
  const form = await lockRecord(work, 'forms_1099c', row);
  if (!['draft', 'generated'].includes(form.status)) throw immutable('form', form.status);
  await records.setStatus(work.tx, 'forms_1099c', id, 'void');
}

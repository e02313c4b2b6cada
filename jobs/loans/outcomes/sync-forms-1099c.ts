import * as forms from '../../../sql/loans/forms-1099c.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { findLocked } from '../../../sql/table.ts';
import { update } from '../../../sql/write.ts';
import { auditChange } from '../../audit.ts';
import { parseMoney } from '../../money.ts';
import type { Work } from '../../work.ts';
import type { LoanEvent } from '../engine/events.ts';
import {
  isForgiveness,
  principalForgiven,
  type CountedHistory,
  type ForgivenPrincipal,
} from './forgiven-principal.ts';
import { findFormDebtors } from './debtors-1099c.ts';
import { closeDebtorTasks, withdrawSettingsTask, createForm1099C } from './form-1099c.ts';
import { remindOfficer } from './remind-officer.ts';

/** The forgiven principal per year from which the form is required (26 CFR 1.6050P-1). */
const THRESHOLD = '600.00';

/** Identifiable event code for a discharge by agreement. */
const BY_AGREEMENT = 'F';

/**
 * Keeps forms 1099-C in line with the books. If the principal forgiven in a year changes, the forms of that
 * year are created, corrected or voided, one for each debtor. The year is that of the forgiveness, whenever it was recorded.
 */
export async function syncForms1099C(
  work: Work,
  loan: RawLoan,
  before: CountedHistory,
  after: CountedHistory,
) {
  for (const year of forgivenYears([...before.events, ...after.events])) {
    const forgiven = principalForgiven(after, year);
    if (forgiven.amount === principalForgiven(before, year).amount) continue;
    await syncYear(work, loan, year, forgiven);
  }
}

/**
 * Asks for a review of the forms that were made by hand when a charge-off of the loan no longer counts, because they
 * may rest on it.
 */
export async function reviewManualForms(
  work: Work,
  loan: RawLoan,
  before: CountedHistory,
  after: CountedHistory,
) {
  const counting = new Set(after.events.map(({ id }) => id));
  const isUndone = before.events.some(({ id, kind }) => kind === 'charge_off' && !counting.has(id));
  if (!isUndone) return;
  const numbers = await forms.listManualFormNumbers(work.tx, loan.id);
  if (numbers.length === 0) return;
  const made = `${numbers.join(', ')} was made by hand`;
  await createCheckTask(
    work,
    loan,
    `A charge-off of the loan was reversed, and ${made}. Correct the form or make it void if it rests on that charge-off.`,
  );
}

/**
 * Creates, corrects or voids the forms of one debtor after that person's liability was entered, corrected or
 * ended.
 */
export async function syncFormsOfDebtor(
  work: Work,
  row: RawLoan,
  history: CountedHistory,
  borrowerId: string,
) {
  for (const year of forgivenYears(history.events)) {
    const forgiven = principalForgiven(history, year);
    await syncYear(work, row, year, forgiven, (debtor) => debtor === borrowerId);
  }
}

const forgivenYears = (events: readonly LoanEvent[]) =>
  new Set(
    events.filter(isForgiveness).map(({ effective_date }) => Number(effective_date.slice(0, 4))),
  );

async function syncYear(
  work: Work,
  loan: RawLoan,
  tax_year: number,
  forgiven: ForgivenPrincipal,
  concerns: (borrowerId: string) => boolean = () => true,
) {
  const inForce = await forms.lockFormsInForce(work.tx, loan.id, BY_AGREEMENT, tax_year);
  const { amount, first_on: on } = forgiven;
  const isDue = on !== null && parseMoney(amount).gte(THRESHOLD);
  const due = isDue ? await findFormDebtors(work, loan, { on, amount }) : [];
  const debtors = new Set([...due, ...inForce.map(({ borrower_id }) => borrower_id)]);
  for (const debtor of debtors) {
    if (!concerns(debtor)) continue;
    const form = inForce.find(({ borrower_id }) => borrower_id === debtor);
    const owes = due.includes(debtor);
    // Nothing was forgiven to a person who did not owe the loan then.
    const theirs = owes || !isDue ? forgiven : { ...forgiven, amount: '0.00' };
    await syncDebtor(work, loan, debtor, { tax_year, ...theirs, isDue: owes }, form);
  }
}

type DueForm = ForgivenPrincipal & { tax_year: number; isDue: boolean };

async function syncDebtor(
  work: Work,
  loan: RawLoan,
  debtor: string,
  { isDue, ...forgiven }: DueForm,
  form: forms.FormInForce | undefined,
) {
  const { amount, tax_year } = forgiven;
  if (form?.amount_discharged === amount) return;
  if (form === undefined) {
    if (isDue) await writeForm(work, loan, debtor, forgiven);
    return;
  }
  const now = `Principal forgiven in ${tax_year} is now ${amount}, but form ${form.form_number} reports ${form.amount_discharged}.`;
  if (form.source === 'manual') {
    await createCheckTask(work, loan, `${now} The form was created manually. Correct or void it.`);
    return;
  }
  // Whoever has a form, or an earlier one that it corrects, needs a corrected form.
  const isSent = form.was_sent;
  const isCorrected = isSent || (isDue && form.status === 'generated');
  await endForm(work, form, isCorrected ? 'corrected' : 'void');
  if (isCorrected) {
    const first_on = forgiven.first_on ?? form.identifiable_event_date;
    await writeForm(work, loan, debtor, { tax_year, amount, first_on }, form);
    const next = isSent ? 'Furnish and file the corrected form.' : 'Furnish the corrected form.';
    await createCheckTask(work, loan, `${now} ${next}`);
  } else if (isDue) await writeForm(work, loan, debtor, forgiven);
  else await createCheckTask(work, loan, `${now} The form was voided. Do not furnish it.`);
  if (form.status === 'draft') await withdrawSettingsTask(work, loan);
}

async function endForm(work: Work, form: forms.FormInForce, status: 'corrected' | 'void') {
  const { id } = form;
  const before = await findLocked(work.tx, forms.forms1099c, id);
  await auditChange(work, forms.forms1099c, 'update', before, async () => {
    await update(work.tx, 'forms_1099c', id, { status });
    return id;
  });
  await closeDebtorTasks(work, form, 'canceled');
}

async function writeForm(
  work: Work,
  loan: RawLoan,
  debtor: string,
  { tax_year, amount, first_on }: ForgivenPrincipal & { tax_year: number },
  corrected?: Pick<forms.FormInForce, 'id' | 'was_sent' | 'tin_requested_on'>,
) {
  // Unreachable: a reportable amount always has a forgiveness date.
  if (first_on === null) return;
  await createForm1099C(work, loan, debtor, {
    tax_year,
    identifiable_event_code: BY_AGREEMENT,
    amount_discharged: amount,
    source: 'system',
    identifiable_event_date: first_on,
    interest_included: '0.00',
    personally_liable: true,
    ...(corrected && {
      is_corrected: true,
      corrects_form_id: corrected.id,
      was_sent: corrected.was_sent,
      tin_requested_on: corrected.tin_requested_on,
    }),
  });
}

const createCheckTask = (work: Work, loan: RawLoan, description: string) =>
  remindOfficer(work, loan, {
    title: `Check form 1099-C of ${loan.loan_number}`,
    description,
    task_type: 'compliance',
    priority: 'high',
  });

import { borrowers } from '../../sql/borrowers/borrowers.ts';
import { findOpenLoans } from '../../sql/portal/loans.ts';
import { noticesFor } from '../../sql/portal/notices.ts';
import { find } from '../../sql/table.ts';
import { currentTenant } from '../../sql/tenants.ts';
import { alertText, type AlertType } from '../../templates/alerts.ts';
import { NotFound } from '../errors.ts';
import { money, parseMoney, sum } from '../money.ts';
import type { Work } from '../work.ts';
import { statementFormsOf } from './statement-forms.ts';

type Loans = Awaited<ReturnType<typeof findOpenLoans>>;

/**
 * The data of the portal's first page: amounts owed, due dates and alerts. Nothing is asked of people about a loan in
 * bankruptcy: its page shows the amounts.
 */
export async function buildDashboard(work: Work, borrowerId: string) {
  const borrower = await find(work.tx, borrowers, borrowerId);
  if (borrower === null) throw new NotFound();
  const loans = await findOpenLoans(work.tx, borrowerId);
  const formOf = await statementFormsOf(
    work,
    borrowerId,
    loans.map(({ id }) => id),
  );
  const isAsking = ({ id }: Loans[number]) => formOf(id) === 'regular';
  const isBankrupt = ({ id }: Loans[number]) => formOf(id) === 'bankruptcy';
  const billed = loans.filter((loan) => !isBankrupt(loan));
  const alerts = [
    ...loans.filter(isBankrupt).map((loan) => alertAbout('bankruptcy', loan, null)),
    ...loans.filter(isLate).flatMap((loan) => (isAsking(loan) ? [pastDueAlert(loan)] : [])),
  ];
  const language = String(borrower['language_preference']);
  return {
    borrower_name: `${String(borrower['first_name'])} ${String(borrower['last_name'])}`,
    total_balance: totalOf(loans.flatMap((loan) => [loan.total_balance, loan.charge_off_balance])),
    total_past_due: totalOf(billed.map(({ past_due_amount }) => past_due_amount)),
    next_payment: nextOf(billed),
    loans: loans.map((loan) => ({
      ...loan,
      balance: totalOf([loan.total_balance, loan.charge_off_balance]),
      statement_form: formOf(loan.id),
    })),
    alerts: await textsOf(work, [...alerts, ...(await noticesFor(work.tx, borrowerId))], language),
  };
}

const totalOf = (amounts: readonly string[]) => money(sum(amounts.map(parseMoney)));

/** The loans are sorted by due date. */
function nextOf(loans: Loans) {
  const next = loans.find(({ next_payment_amount: amount }) => parseMoney(amount).gt(0));
  if (!next?.next_payment_date) return null;
  const { id, loan_number, next_payment_date, next_payment_amount, amount_due } = next;
  return {
    amount: next_payment_amount,
    due_date: next_payment_date,
    loan_number,
    loan_id: id,
    amount_due,
  };
}

type Alert = {
  type: AlertType;
  loan_id: string | null;
  loan_number: string | null;
  amount: string | null;
  date: string | null;
};

const isLate = ({ past_due_amount }: Loans[number]) => parseMoney(past_due_amount).gt(0);

const alertAbout = (
  type: AlertType,
  { id, loan_number }: Loans[number],
  amount: string | null,
): Alert => ({ type, loan_id: id, loan_number, amount, date: null });

const pastDueAlert = (loan: Loans[number]) => alertAbout('past_due', loan, loan.past_due_amount);

/** The alerts with their sentences. */
async function textsOf({ tx }: Work, alerts: readonly Alert[], language: string) {
  const { locale, currency } = await currentTenant(tx);
  return alerts.map(({ loan_number, ...alert }) => ({
    ...alert,
    message: alertText(alert.type, { ...alert, loan_number }, { language, locale, currency }),
  }));
}

import { borrowers } from '../../sql/borrowers/borrowers.ts';
import { findOpenLoans } from '../../sql/portal/loans.ts';
import { noticesFor } from '../../sql/portal/notices.ts';
import { find } from '../../sql/table.ts';
import { currentTenant } from '../../sql/tenants.ts';
import { alertText, type AlertType } from '../../templates/alerts.ts';
import { NotFound } from '../errors.ts';
import { money, parseMoney, sum } from '../money.ts';
import type { Work } from '../work.ts';

type Loans = Awaited<ReturnType<typeof findOpenLoans>>;

/** The data of the portal's first page: amounts owed, due dates and alerts. */
export async function buildDashboard(work: Work, borrowerId: string) {
  const borrower = await find(work.tx, borrowers, borrowerId);
  if (borrower === null) throw new NotFound();
  const loans = await findOpenLoans(work.tx, borrowerId);
  const language = String(borrower['language_preference']);
  return {
    borrower_name: `${String(borrower['first_name'])} ${String(borrower['last_name'])}`,
    total_balance: totalOf(loans.flatMap((loan) => [loan.total_balance, loan.charge_off_balance])),
    total_past_due: totalOf(loans.map(({ past_due_amount }) => past_due_amount)),
    next_payment: nextOf(loans),
    loans: loans.map((loan) => ({
      ...loan,
      balance: totalOf([loan.total_balance, loan.charge_off_balance]),
    })),
    alerts: await alertsFor(work, borrowerId, loans, language),
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

/** Past due alerts come first. */
async function alertsFor({ tx }: Work, borrowerId: string, loans: Loans, language: string) {
  const { locale, currency } = await currentTenant(tx);
  const late = loans
    .filter(({ past_due_amount }) => parseMoney(past_due_amount).gt(0))
    .map(({ id, loan_number, past_due_amount: amount }) => {
      const type: AlertType = 'past_due';
      return { type, loan_id: id, loan_number, amount, date: null };
    });
  const alerts = [...late, ...(await noticesFor(tx, borrowerId))];
  return alerts.map(({ loan_number, ...alert }) => ({
    ...alert,
    message: alertText(alert.type, { ...alert, loan_number }, { language, locale, currency }),
  }));
}

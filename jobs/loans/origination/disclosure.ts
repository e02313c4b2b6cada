import { listSecuringItems } from '../../../sql/collateral/items.ts';
import type { DisclosedCost } from '../../../sql/loans/origination/disclosures.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { currentTenant } from '../../../sql/tenants.ts';
import { update } from '../../../sql/write.ts';
import { orderDocument } from '../../documents/order-document.ts';
import { money, parseMoney } from '../../money.ts';
import type { Work } from '../../work.ts';
import { readTerms } from '../products/loan-terms.ts';
import { costTexts, frequencyText } from './cost-texts.ts';
import { assertAprDisclosable, type Cost } from './cost.ts';

type DisclosureOptions = {
  /** The disbursement's date or amount may still change. */
  isEstimate: boolean;
  /** The part of the amount financed that covers the balance before a further disbursement. */
  owedBefore?: string;
};

/** Orders the Truth in Lending disclosure (Regulation Z) and stores its APR as the loan's. */
export async function discloseCost(
  work: Work,
  loan: RawLoan,
  cost: Cost,
  { isEstimate, owedBefore = '0.00' }: DisclosureOptions,
) {
  const { schedule: _, prepaid_finance_charge, ...figures } = cost;
  assertAprDisclosable(figures.apr, loan);
  const { interest_rate } = readTerms(loan);
  const { locale, currency } = await currentTenant(work.tx);
  const secured = await listSecuringItems(work.tx, loan.id);
  const financed = parseMoney(figures.amount_financed);
  await update(work.tx, 'loans', loan.id, { apr: figures.apr });
  await orderDocument(work, {
    template: 'tila_disclosure',
    document_type: 'tila_disclosure',
    filename: 'tila-disclosure.pdf',
    borrower_id: loan.borrower_id,
    loan_id: loan.id,
    data: (language) => ({
      ...figures,
      payment_schedule: scheduleLines(loan, cost, language),
      itemization: {
        paid_to_borrower: money(financed.minus(owedBefore)),
        credited_to_account: owedBefore === '0.00' ? null : owedBefore,
        paid_to_others: [],
        prepaid_finance_charge,
      },
      ...costTexts(
        loan,
        { language, locale, currency },
        { secured, hasPrepaidCharge: parseMoney(prepaid_finance_charge).gt(0) },
      ),
      is_estimate: isEstimate,
      interest_rate,
      principal_amount: money(financed.plus(prepaid_finance_charge)),
    }),
  });
}

/** Whether the cost equals the last disclosure, to the cent and to the day. */
export const matchesDisclosure = (disclosed: DisclosedCost, loan: RawLoan, cost: Cost): boolean =>
  comparableText(disclosed) ===
  comparableText({ ...cost, payment_schedule: scheduleLines(loan, cost, 'en') });

const comparableText = (disclosed: Omit<DisclosedCost, 'letter_date'>) =>
  JSON.stringify([
    disclosed.apr,
    disclosed.finance_charge,
    disclosed.amount_financed,
    disclosed.total_of_payments,
    disclosed.payment_schedule.map(({ number, amount, first_due }) => [number, amount, first_due]),
  ]);

/** Combines consecutive equal payments into one line. */
function scheduleLines({ payment_frequency }: RawLoan, { schedule }: Cost, language: string) {
  const lines: { number: number; amount: string; first_due: string; every: string }[] = [];
  for (const { payment_amount: amount, due_date } of schedule) {
    const last = lines.at(-1);
    if (last?.amount === amount) last.number += 1;
    else
      lines.push({
        number: 1,
        amount,
        first_due: due_date,
        every: frequencyText(payment_frequency, language),
      });
  }
  return lines;
}

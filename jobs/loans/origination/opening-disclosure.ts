import { listSecuringItems } from '../../../sql/collateral/items.ts';
import {
  readLastDisclosedOpening,
  type DisclosedOpening,
} from '../../../sql/loans/origination/disclosures.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { currentTenant } from '../../../sql/tenants.ts';
import { update } from '../../../sql/write.ts';
import { documentLanguage } from '../../../templates/render-document.ts';
import { orderDocument } from '../../documents/order-document.ts';
import { parseRate } from '../../money.ts';
import type { Work } from '../../work.ts';
import { isBilledByCycle, accruesBySchedule } from '../arithmetic/terms.ts';
import { readTerms } from '../products/loan-terms.ts';
import { frequencyText, penaltyText, securityText } from './cost-texts.ts';
import { assertAprDisclosable, expectedFunding, creditLineRates } from './cost.ts';
import type { TextOptions } from './fee-texts.ts';
import { creditAfterOpeningFees, listOpeningFees } from './opening-fees.ts';

/** A line of credit is open-end credit, whether it is billed by cycle or repaid in installments. */
export const isLineOfCredit = ({ loan_type }: Pick<RawLoan, 'loan_type'>): boolean =>
  loan_type === 'line_of_credit';

/**
 * Orders the account-opening disclosure of a line of credit (12 CFR 1026.6(b)) and stores its APR as the
 * loan's. It has no payment schedule, because payments depend on the draws. If the rate cannot be computed,
 * nothing is disclosed.
 */
export async function discloseOpening(work: Work, loan: RawLoan) {
  const { locale, currency } = await currentTenant(work.tx);
  const secured = await listSecuringItems(work.tx, loan.id);
  const { apr, ...rates } = creditLineRates(loan, expectedFunding(loan, work.today));
  if (apr !== null) assertAprDisclosable(apr, loan);
  await update(work.tx, 'loans', loan.id, { apr });
  if (apr === null) return;
  await orderDocument(work, {
    template: 'account_opening_disclosure',
    document_type: 'tila_disclosure',
    filename: 'account-opening-disclosure.pdf',
    borrower_id: loan.borrower_id,
    loan_id: loan.id,
    data: (language) => {
      const reader = { language, locale, currency };
      const security_interest = securityText(secured, reader);
      return { apr, ...rates, ...openingTerms(loan, reader), security_interest };
    },
  });
}

/** The terms of a line before the first draw. */
function openingTerms(loan: RawLoan, reader: TextOptions) {
  const terms = readTerms(loan);
  const credit_limit = loan.credit_limit ?? loan.principal_amount;
  const isByCycle = isBilledByCycle(terms);
  return {
    credit_limit,
    available_credit: creditAfterOpeningFees(loan, credit_limit),
    interest_rate: parseRate(loan.interest_rate).toFixed(),
    has_leap_years: terms.day_count === 'actual_actual',
    is_daily: !accruesBySchedule(terms),
    is_flat: terms.interest_method === 'flat',
    has_grace: terms.grace_on_purchases,
    cycle:
      isByCycle && terms.minimum_payment !== null
        ? { due_days: terms.payment_due_days ?? 0, minimum: terms.minimum_payment }
        : null,
    plan: isByCycle
      ? null
      : {
          term_months: terms.term_months,
          every: frequencyText(terms.payment_frequency, reader.language).toLowerCase(),
        },
    fees: listOpeningFees(loan, reader),
    prepayment: terms.prepayment_penalty ? penaltyText(loan, reader) : null,
  };
}

/** The last disclosure of a line's terms, and whether the terms are still the same. */
export async function checkOpeningDisclosure({ tx, today }: Work, loan: RawLoan) {
  const lastDisclosed = await readLastDisclosedOpening(tx, loan.id);
  if (lastDisclosed === null) return { lastDisclosed, isCurrent: false };
  const { locale, currency } = await currentTenant(tx);
  const language = documentLanguage('account_opening_disclosure', lastDisclosed.language);
  const { apr } = creditLineRates(loan, expectedFunding(loan, today));
  const now = { ...openingTerms(loan, { language, locale, currency }), apr: apr ?? '' };
  return { lastDisclosed, isCurrent: comparableText(lastDisclosed) === comparableText(now) };
}

const comparableText = ({
  apr,
  credit_limit,
  fees,
}: Omit<DisclosedOpening, 'language' | 'letter_date'>) =>
  JSON.stringify([
    apr,
    credit_limit,
    [fees.opening, fees.transactions, fees.penalties, fees.others].map((lines) =>
      lines.map(({ name, words }) => [name, words]),
    ),
  ]);

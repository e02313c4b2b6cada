import { securing } from '../../../sql/collateral/items.ts';
import { lastOpening, type ToldOpening } from '../../../sql/loans/disclosures.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { current } from '../../../sql/tenants.ts';
import { update } from '../../../sql/write.ts';
import { documentLanguage } from '../../../templates/render-document.ts';
import { orderDocument } from '../../documents/order.ts';
import { parseRate } from '../../money.ts';
import type { Work } from '../../work.ts';
import { isBilledByCycle, isFollowingPlan } from '../arithmetic/terms.ts';
import { termsOf } from '../products/terms-of.ts';
import { frequencyWord, penaltyWords, securityWords } from './cost-words.ts';
import { assertRoomFor, expectedFunding, lineRates } from './cost.ts';
import type { Reader } from './fee-words.ts';
import { creditLeft, openingFees } from './opening-fees.ts';

/** A line of credit is open-end credit, whether it is billed by cycle or repaid by instalments. */
export const isLine = ({ loan_type }: Pick<RawLoan, 'loan_type'>): boolean =>
  loan_type === 'line_of_credit';

/**
 * Tells the borrower of a line the terms on which it is opened (12 CFR 1026.6(b)): what it costs depends on
 * what is drawn, so there are no payments to disclose. Its rate is the loan's from now on. Nothing is
 * told of one whose rate cannot be computed.
 */
export async function discloseOpening(work: Work, loan: RawLoan) {
  const { locale, currency } = await current(work.tx);
  const secured = await securing(work.tx, loan.id);
  const { apr, ...rates } = lineRates(loan, expectedFunding(loan, work.today));
  if (apr !== null) assertRoomFor(apr, loan);
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
      const security_interest = securityWords(secured, reader);
      return { apr, ...rates, ...openingTerms(loan, reader), security_interest };
    },
  });
}

/** The terms of a line that is not drawn on yet. */
function openingTerms(loan: RawLoan, reader: Reader) {
  const terms = termsOf(loan);
  const credit_limit = loan.credit_limit ?? loan.principal_amount;
  const isByCycle = isBilledByCycle(terms);
  return {
    credit_limit,
    available_credit: creditLeft(loan, credit_limit),
    interest_rate: parseRate(loan.interest_rate).toFixed(),
    has_leap_years: terms.day_count === 'actual_actual',
    is_daily: !isFollowingPlan(terms),
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
          every: frequencyWord(terms.payment_frequency, reader.language).toLowerCase(),
        },
    fees: openingFees(loan, reader),
    prepayment: terms.prepayment_penalty ? penaltyWords(loan, reader) : null,
  };
}

/** The last disclosure that told a line's terms, and whether they are still those. */
export async function openingTold({ tx, today }: Work, loan: RawLoan) {
  const told = await lastOpening(tx, loan.id);
  if (told === null) return { told, isTrue: false };
  const { locale, currency } = await current(tx);
  const language = documentLanguage('account_opening_disclosure', told.language);
  const { apr } = lineRates(loan, expectedFunding(loan, today));
  const now = { ...openingTerms(loan, { language, locale, currency }), apr: apr ?? '' };
  return { told, isTrue: wordsOf(told) === wordsOf(now) };
}

const wordsOf = ({ apr, credit_limit, fees }: Omit<ToldOpening, 'language' | 'letter_date'>) =>
  JSON.stringify([
    apr,
    credit_limit,
    [fees.opening, fees.transactions, fees.penalties, fees.others].map((lines) =>
      lines.map(({ name, words }) => [name, words]),
    ),
  ]);

import { dictionary } from '../../../sql/dictionary.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { loanFeeRules, lateFeeGraceDays } from '../products/fee-amounts.ts';
import { readTerms } from '../products/loan-terms.ts';
import { feeText, documentLanguage, type TextOptions, type DocumentLanguage } from './fee-texts.ts';

/** Facts for the sentences of a Truth in Lending disclosure. */

type Facts = { secured: readonly string[]; hasPrepaidCharge: boolean };

const FREQUENCY_NAMES = dictionary<Record<DocumentLanguage, string>>({
  monthly: { en: 'Monthly', es: 'Mensual' },
  quarterly: { en: 'Quarterly', es: 'Trimestral' },
  semi_monthly: { en: 'Twice a month', es: 'Dos veces al mes' },
  biweekly: { en: 'Every two weeks', es: 'Cada dos semanas' },
  weekly: { en: 'Weekly', es: 'Semanal' },
  single: { en: 'Once', es: 'Una vez' },
});

export const frequencyText = (frequency: string, language: string): string =>
  FREQUENCY_NAMES[frequency]?.[documentLanguage(language)] ?? '';

/** The texts that 12 CFR 1026.18(k), (l) and (m) require. Texts that do not apply to this loan are null. */
export function costTexts(
  loan: RawLoan,
  reader: TextOptions,
  { secured, hasPrepaidCharge }: Facts,
) {
  const textLanguage = documentLanguage(reader.language);
  return {
    late_charge: lateCharge(loan, reader),
    prepayment: [
      penaltyText(loan, reader),
      ...(hasPrepaidCharge ? [PREPAYMENT[textLanguage].prepaid] : []),
    ].join(' '),
    security_interest: securityText(secured, reader),
  };
}

/** The security interest as a sentence, or null for an unsecured loan. */
export const securityText = (
  secured: readonly string[],
  { language }: TextOptions,
): string | null =>
  secured.length === 0
    ? null
    : `${SECURITY[documentLanguage(language)]} ${new Intl.ListFormat(documentLanguage(language)).format(secured)}.`;

/** A sentence that says whether early repayment may cost a penalty. */
export const penaltyText = (loan: RawLoan, { language }: TextOptions): string =>
  PREPAYMENT[documentLanguage(language)][readTerms(loan).prepayment_penalty ? 'penalty' : 'none'];

const PREPAYMENT = {
  en: {
    penalty: 'If you pay off early, you may have to pay a penalty.',
    none: 'If you pay off early, you will not have to pay a penalty.',
    prepaid: 'You will not be entitled to a refund of the prepaid finance charge.',
  },
  es: {
    penalty: 'Si paga por adelantado, es posible que tenga que pagar una penalidad.',
    none: 'Si paga por adelantado, no tendrá que pagar una penalidad.',
    prepaid: 'No tendrá derecho a un reembolso del cargo financiero prepagado.',
  },
};
const SECURITY = {
  en: 'You are giving a security interest in:',
  es: 'Usted da una garantía sobre:',
};

/** The late fee and its grace period as a sentence, or null if there is no late fee. */
function lateCharge(loan: RawLoan, reader: TextOptions): string | null {
  const rule = loanFeeRules(loan).find(({ trigger }) => trigger === 'past_due');
  if (!rule) return null;
  const days = lateFeeGraceDays(rule, loan);
  const fee = feeText(rule, reader);
  return documentLanguage(reader.language) === 'es'
    ? `Si un pago se retrasa más de ${days} días, se le cobrará ${fee}.`
    : `If a payment is more than ${days} days late, you will be charged ${fee}.`;
}

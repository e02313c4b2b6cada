import { dictionary } from '../../../sql/dictionary.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { filters } from '../../../templates/filters.ts';
import { documentLocale } from '../../../templates/render-document.ts';
import { feeRulesOf, graceDaysOf, type FeeRule } from '../products/fee-amounts.ts';
import { termsOf } from '../products/terms-of.ts';

/** The sentences of a Truth in Lending disclosure, in the borrower's language. */

type Spoken = 'en' | 'es';
type Reader = { language: string; locale: string; currency: string };
type Facts = { secured: readonly string[]; hasPrepaidCharge: boolean };

const spokenOf = (language: string): Spoken => (language === 'es' ? 'es' : 'en');

const EVERY = dictionary<Record<Spoken, string>>({
  monthly: { en: 'Monthly', es: 'Mensual' },
  quarterly: { en: 'Quarterly', es: 'Trimestral' },
  semi_monthly: { en: 'Twice a month', es: 'Dos veces al mes' },
  biweekly: { en: 'Every two weeks', es: 'Cada dos semanas' },
  weekly: { en: 'Weekly', es: 'Semanal' },
  single: { en: 'Once', es: 'Una vez' },
});

export const frequencyWord = (frequency: string, language: string): string =>
  EVERY[frequency]?.[spokenOf(language)] ?? '';

/** What 12 CFR 1026.18(k), (l) and (m) ask for; what does not hold of this loan is left out. */
export function costWords(loan: RawLoan, reader: Reader, { secured, hasPrepaidCharge }: Facts) {
  const spoken = spokenOf(reader.language);
  return {
    late_charge: lateCharge(loan, reader),
    prepayment: [
      PREPAYMENT[spoken][termsOf(loan).prepayment_penalty ? 'penalty' : 'none'],
      ...(hasPrepaidCharge ? [PREPAYMENT[spoken].prepaid] : []),
    ].join(' '),
    security_interest:
      secured.length === 0
        ? null
        : `${SECURITY[spoken]} ${new Intl.ListFormat(spoken).format(secured)}.`,
  };
}

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

/** How much a late payment costs, and from when; null where it costs nothing. */
function lateCharge(loan: RawLoan, reader: Reader): string | null {
  const rule = feeRulesOf(loan).find(({ trigger }) => trigger === 'past_due');
  if (!rule) return null;
  const days = graceDaysOf(rule, loan);
  const much = lateFeeWords(rule, reader);
  return spokenOf(reader.language) === 'es'
    ? `Si un pago se retrasa más de ${days} días, se le cobrará ${much}.`
    : `If a payment is more than ${days} days late, you will be charged ${much}.`;
}

function lateFeeWords(rule: FeeRule, { language, locale, currency }: Reader): string {
  const setting = { locale: documentLocale(spokenOf(language), locale), currency };
  const amount = (value: string) => filters['currency']?.(value, setting) ?? value;
  const words = WORDS[spokenOf(language)];
  const share = `${filters['percent']?.(rule.percentage ?? '0', setting)} ${
    rule.calculation === 'percent_of_past_due' ? words.of_past_due : words.of_payment
  }`;
  const flat = amount(rule.amount ?? '0.00');
  const plain =
    rule.calculation === 'flat'
      ? flat
      : rule.calculation === 'greater_of' || rule.calculation === 'lesser_of'
        ? words[rule.calculation](flat, share)
        : share;
  return [
    plain,
    ...(rule.min_amount ? [`${words.least} ${amount(rule.min_amount)}`] : []),
    ...(rule.max_amount ? [`${words.most} ${amount(rule.max_amount)}`] : []),
  ].join(', ');
}

const WORDS = {
  en: {
    of_payment: 'of the payment',
    of_past_due: 'of the amount past due',
    greater_of: (flat: string, share: string) => `the greater of ${flat} and ${share}`,
    lesser_of: (flat: string, share: string) => `the lesser of ${flat} and ${share}`,
    least: 'at least',
    most: 'at most',
  },
  es: {
    of_payment: 'del pago',
    of_past_due: 'de la cantidad vencida',
    greater_of: (flat: string, share: string) => `lo mayor entre ${flat} y ${share}`,
    lesser_of: (flat: string, share: string) => `lo menor entre ${flat} y ${share}`,
    least: 'como mínimo',
    most: 'como máximo',
  },
};

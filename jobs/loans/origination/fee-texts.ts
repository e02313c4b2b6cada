import { filters } from '../../../templates/filters.ts';
import { documentLocale } from '../../../templates/render-document.ts';
import type { FeeRule } from '../products/fee-amounts.ts';

export type DocumentLanguage = 'en' | 'es';
export type TextOptions = { language: string; locale: string; currency: string };

export const documentLanguage = (language: string): DocumentLanguage =>
  language === 'es' ? 'es' : 'en';

export const amountText = (amount: string, { language, locale, currency }: TextOptions): string => {
  const setting = { locale: documentLocale(documentLanguage(language), locale), currency };
  return filters['currency']?.(amount, setting) ?? amount;
};

/** A rule's amount: "$25.00", "the greater of $25.00 and 5.00% of the payment, at most $40.00". */
export function feeText(rule: FeeRule, reader: TextOptions): string {
  const { language, locale } = reader;
  const textLanguage = documentLanguage(language);
  const words = WORDS[textLanguage];
  const setting = { locale: documentLocale(textLanguage, locale) };
  const share = `${filters['percent']?.(rule.percentage ?? '0', setting)} ${OF[textLanguage][baseOf(rule)]}`;
  const flat = amountText(rule.amount ?? '0.00', reader);
  const plain =
    rule.calculation === 'flat'
      ? flat
      : rule.calculation === 'greater_of' || rule.calculation === 'lesser_of'
        ? words[rule.calculation](flat, share)
        : share;
  return [
    plain,
    ...(rule.min_amount ? [`${words.least} ${amountText(rule.min_amount, reader)}`] : []),
    ...(rule.max_amount ? [`${words.most} ${amountText(rule.max_amount, reader)}`] : []),
  ].join(', ');
}

type Base = keyof (typeof OF)['en'];

/** The base of a rule's percentage. Must match the code that assesses the fee. */
function baseOf({ trigger, calculation }: FeeRule): Base {
  if (trigger === 'past_due') return calculation === 'percent_of_past_due' ? 'past_due' : 'payment';
  if (trigger === 'payment_returned') return 'returned';
  if (trigger === 'draw') return 'draw';
  if (trigger === 'disbursement')
    return calculation === 'percent_of_disbursement' ? 'disbursement' : 'loan';
  return trigger === 'modification' ? 'balance' : 'loan';
}

const OF = {
  en: {
    payment: 'of the payment',
    past_due: 'of the amount past due',
    returned: 'of the returned payment',
    draw: 'of the draw',
    disbursement: 'of the amount paid out',
    balance: 'of the principal that you owe',
    loan: 'of the amount approved',
  },
  es: {
    payment: 'del pago',
    past_due: 'de la cantidad vencida',
    returned: 'del pago devuelto',
    draw: 'del retiro',
    disbursement: 'de la cantidad desembolsada',
    balance: 'del capital que usted debe',
    loan: 'de la cantidad aprobada',
  },
};

const WORDS = {
  en: {
    greater_of: (flat: string, share: string) => `the greater of ${flat} and ${share}`,
    lesser_of: (flat: string, share: string) => `the lesser of ${flat} and ${share}`,
    least: 'at least',
    most: 'at most',
  },
  es: {
    greater_of: (flat: string, share: string) => `lo mayor entre ${flat} y ${share}`,
    lesser_of: (flat: string, share: string) => `lo menor entre ${flat} y ${share}`,
    least: 'como mínimo',
    most: 'como máximo',
  },
};

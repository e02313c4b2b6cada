import { filters } from './filters.ts';
import { documentLocale } from './render-document.ts';

/** The alerts on a borrower's first portal page. */
export const ALERTS = [
  'bankruptcy',
  'past_due',
  'payment_returned',
  'payment_failed',
  'autopay_paused',
  'payoff_quote_ready',
  'document_wanted',
  'hardship_decided',
] as const;
export type AlertType = (typeof ALERTS)[number];

/** The placeholders {loan}, {amount} and {date} are replaced where the value is known. */
const TEXTS: Record<'en' | 'es', Record<AlertType, string>> = {
  en: {
    bankruptcy:
      'Loan {loan} is part of a bankruptcy case, or was discharged in one. What you see here is for information only. It is not an attempt to collect a debt or a demand for payment.',
    past_due: 'Loan {loan} is past due by {amount}.',
    payment_returned: 'The bank returned your payment of {amount} for loan {loan}.',
    payment_failed: 'We could not process your payment of {amount} for loan {loan}.',
    autopay_paused: 'Autopay for loan {loan} is paused. We are not drawing payments.',
    payoff_quote_ready:
      'Your payoff quote for loan {loan} is ready: {amount}, good through {date}.',
    document_wanted: 'We need a document from you.',
    hardship_decided: 'We have made a decision on your hardship application for loan {loan}.',
  },
  es: {
    bankruptcy:
      'El préstamo {loan} forma parte de un caso de bancarrota o fue descargado en uno. Lo que ve aquí es solo para su información. No es un intento de cobrar una deuda ni una exigencia de pago.',
    past_due: 'El préstamo {loan} tiene {amount} vencidos.',
    payment_returned: 'El banco devolvió su pago de {amount} del préstamo {loan}.',
    payment_failed: 'No pudimos procesar su pago de {amount} del préstamo {loan}.',
    autopay_paused:
      'El pago automático del préstamo {loan} está en pausa. No estamos cobrando pagos.',
    payoff_quote_ready:
      'Su cotización de liquidación del préstamo {loan} está lista: {amount} hasta el {date}.',
    document_wanted: 'Necesitamos que nos envíe un documento.',
    hardship_decided: 'Tomamos una decisión sobre su solicitud de ayuda del préstamo {loan}.',
  },
};

type Facts = { loan_number: string | null; amount: string | null; date: string | null };
type Reader = { language: string; locale: string; currency: string };

/** The text of an alert in the reader's language. Default: English. */
export function alertText(type: AlertType, facts: Facts, { language, ...tenant }: Reader): string {
  const textLanguage = language.slice(0, 2).toLowerCase() === 'es' ? 'es' : 'en';
  const setting = { ...tenant, locale: documentLocale(textLanguage, tenant.locale) };
  const values: Record<string, string | undefined> = {
    loan: facts.loan_number ?? '',
    amount: filters['currency']?.(facts.amount, setting),
    date: filters['date']?.(facts.date, setting),
  };
  return TEXTS[textLanguage][type].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

import type { MonthlyStatement } from './documents.ts';
import { isPositive } from './render-document.ts';

/** The labels of statement lines. A kind without a label is printed as a fee. */
const LINES = new Map(
  Object.entries<{ en: string; es: string }>({
    payment: { en: 'Payment received, thank you', es: 'Pago recibido, gracias' },
    payment_reversed: { en: 'Payment returned', es: 'Pago devuelto' },
    suspense_applied: { en: 'Held funds applied', es: 'Fondos reservados aplicados' },
    suspense_application_reversed: {
      en: 'Application of held funds reversed',
      es: 'Aplicación de fondos reservados anulada',
    },
    refund: { en: 'Refund to you', es: 'Reembolso a usted' },
    applied_otherwise: {
      en: 'Earlier payments reapplied',
      es: 'Pagos anteriores reaplicados',
    },
    collateral_sold: { en: 'Sale of your collateral', es: 'Venta de su garantía' },
    sale_reversed: { en: 'Sale of collateral reversed', es: 'Venta de garantía anulada' },
    disbursement: { en: 'Loan proceeds', es: 'Desembolso del préstamo' },
    disbursement_reversed: { en: 'Loan proceeds reversed', es: 'Desembolso anulado' },
    fee_reversed: { en: 'Fee reversed', es: 'Cargo anulado' },
    interest: { en: 'Interest', es: 'Intereses' },
    service_credit: { en: 'Credit from us', es: 'Crédito a su favor' },
    credit_reversed: { en: 'Credit reversed', es: 'Crédito anulado' },
    forgiveness: { en: 'Debt forgiven', es: 'Deuda perdonada' },
    forgiveness_reversed: { en: 'Forgiveness reversed', es: 'Perdón de deuda anulado' },
    credit: { en: 'Credits and adjustments', es: 'Créditos y ajustes' },
    fee_late: { en: 'Late fee', es: 'Cargo por pago tardío' },
    fee_returned_payment: { en: 'Returned payment fee', es: 'Cargo por pago devuelto' },
    fee_deducted: { en: 'Paid out of the loan proceeds', es: 'Pagado con el desembolso' },
    fee_waived: { en: 'Fee waived', es: 'Cargo condonado' },
    fee_origination: { en: 'Origination fee', es: 'Cargo de apertura' },
    fee_nsf: { en: 'Insufficient funds fee', es: 'Cargo por fondos insuficientes' },
    fee_modification: { en: 'Modification fee', es: 'Cargo por modificación' },
    fee_due_date_change: { en: 'Due date change fee', es: 'Cargo por cambio de vencimiento' },
    fee_convenience: { en: 'Convenience fee', es: 'Cargo por conveniencia' },
    fee_annual: { en: 'Annual fee', es: 'Cargo anual' },
    fee_draw: { en: 'Draw fee', es: 'Cargo por retiro' },
    fee_payoff: { en: 'Payoff fee', es: 'Cargo por liquidación' },
    fee_legal: { en: 'Legal fee', es: 'Cargo legal' },
    fee_recovery: { en: 'Recovery fee', es: 'Cargo por recuperación' },
    fee_prepayment_penalty: { en: 'Prepayment penalty', es: 'Penalidad por pago anticipado' },
    fee_adjustment: { en: 'Adjustment', es: 'Ajuste' },
  }),
);
const FEE = { en: 'Fee', es: 'Cargo' };

export const statementLine = (kind: string, language: string): string =>
  (LINES.get(kind) ?? FEE)[language === 'es' ? 'es' : 'en'];

type Page = Pick<MonthlyStatement, 'due' | 'line' | 'recipient' | 'wording' | 'bankruptcy'> & {
  activity: readonly object[];
};

/**
 * How many lines of activity fit on the first page, and how many lines other parts take away. Measured in
 * the browser.
 */
const FIRST_PAGE_LINES = { lines: 6, past_due: 3, cure: 1, autopay: 1 };
/** The address size that fits. A larger address takes lines from the activity. */
const ADDRESS_LIMITS = { lines: 4, characters: 38 };

/**
 * Says whether the activity fits on the first page, between the figures and the payment slip. Otherwise all
 * of it is printed on the second page.
 */
export function isOnePage({ due, line, recipient, wording, activity, ...page }: Page): boolean {
  const addressLines = [recipient.name, ...recipient.address_lines].reduce(
    (count, text) => count + Math.max(1, Math.ceil(text.length / ADDRESS_LIMITS.characters)),
    0,
  );
  const room =
    FIRST_PAGE_LINES.lines -
    (isPositive(due.past_due) ? FIRST_PAGE_LINES.past_due : 0) -
    (due.cure ? FIRST_PAGE_LINES.cure : 0) -
    (due.autopay ? FIRST_PAGE_LINES.autopay : 0) -
    Math.max(0, addressLines - ADDRESS_LIMITS.lines) -
    linesOf(wording?.closing ?? '');
  return !line && !page.bankruptcy && activity.length <= room;
}

/**
 * The most lines that a tenant's text takes. Counts 80 characters per line and one line between paragraphs,
 * because values are longer than their names.
 */
const linesOf = (text: string) =>
  text === ''
    ? 0
    : text.split('\n').reduce((lines, line) => lines + Math.max(1, Math.ceil(line.length / 80)), 1);

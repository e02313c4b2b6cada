import { filters } from './filters.ts';
import { documentLocale } from './render-document.ts';
import type { Phrases } from './portal/words/phrases.ts';

/**
 * The sentences that explain how a loan's figures are calculated. Placeholders name a value and a format:
 * {date|date}, {amount|money}, {rate|rate}, {days|days}, or {text} without a format.
 */
const TEXTS = {
  'accrued_interest.some': [
    'As of {date|date}, {amount|money} in interest is owed. This includes every day through {through|date}.',
    'Al {date|date} se deben {amount|money} de intereses. Se cuentan todos los días hasta el {through|date}.',
  ],
  'accrued_interest.none': [
    'As of {date|date}, no interest is owed.',
    'Al {date|date} no se deben intereses.',
  ],
  'amount_due.some': [
    'As of {date|date}, {amount|money} is due by {due_date|date}.',
    'Al {date|date} hay que pagar {amount|money} a más tardar el {due_date|date}.',
  ],
  'amount_due.now': [
    'As of {date|date}, {amount|money} is due now.',
    'Al {date|date} hay que pagar {amount|money} ahora.',
  ],
  'amount_due.matured': [
    'As of {date|date}, the whole balance of {amount|money} is due, because the loan was due in full on {due_date|date}.',
    'Al {date|date} hay que pagar todo el saldo, {amount|money}, porque el préstamo vencía por completo el {due_date|date}.',
  ],
  'amount_due.none': [
    'As of {date|date}, nothing is due.',
    'Al {date|date} no hay nada por pagar.',
  ],
  'past_due_amount.some': [
    'As of {date|date}, {amount|money} is past due.',
    'Al {date|date} hay {amount|money} vencidos.',
  ],
  'past_due_amount.matured': [
    'As of {date|date}, the whole balance of {amount|money} is past due, because the loan was due in full on {due_date|date}.',
    'Al {date|date} está vencido todo el saldo, {amount|money}, porque el préstamo vencía por completo el {due_date|date}.',
  ],
  'past_due_amount.none': [
    'As of {date|date}, nothing is past due.',
    'Al {date|date} no hay nada vencido.',
  ],
  'days_past_due.some': [
    'As of {date|date}, the loan is {days|days} past due.',
    'Al {date|date} el préstamo tiene {days|days} de atraso.',
  ],
  'days_past_due.none': [
    'As of {date|date}, no days count as past due.',
    'Al {date|date} no se cuentan días de atraso.',
  ],
  'payoff_amount.some': [
    'As of {date|date}, the payoff amount is {amount|money}.',
    'Al {date|date} el monto para liquidar el préstamo es {amount|money}.',
  ],
  'payoff_amount.none': [
    'As of {date|date}, the payoff amount is zero.',
    'Al {date|date} el monto para liquidar el préstamo es cero.',
  ],
  'late_fee.some': [
    'As of {date|date}, {amount|money} in late fees is unpaid.',
    'Al {date|date} hay {amount|money} de cargos por pago atrasado pendientes.',
  ],
  'late_fee.none': [
    'As of {date|date}, there are no unpaid late fees.',
    'Al {date|date} no hay cargos por pago atrasado pendientes.',
  ],

  accrued: [
    '{from|date} through {through|date}: {days|days} on a balance of {balance|money} at {rate|rate} a year ({balance|money} × {rate|rate} × {count} ÷ {year}).',
    'Del {from|date} al {through|date}: {days|days} sobre un saldo de {balance|money} al {rate|rate} anual ({balance|money} × {rate|rate} × {count} ÷ {year}).',
  ],
  'accrued.capped': [
    '{from|date} through {through|date}: {days|days} on a balance of {balance|money} at {rate|rate} a year ({balance|money} × {rate|rate} × {count} ÷ {year}). The rate is capped by law; the agreed rate is {agreed_rate|rate}.',
    'Del {from|date} al {through|date}: {days|days} sobre un saldo de {balance|money} al {rate|rate} anual ({balance|money} × {rate|rate} × {count} ÷ {year}). La ley limita la tasa; la tasa acordada es del {agreed_rate|rate}.',
  ],
  'accrued.leap_years': [
    '{from|date} through {through|date}: {days|days} on a balance of {balance|money} at {rate|rate} a year ({balance|money} × {rate|rate} × {count} ÷ 365, or ÷ 366 for days in a leap year).',
    'Del {from|date} al {through|date}: {days|days} sobre un saldo de {balance|money} al {rate|rate} anual ({balance|money} × {rate|rate} × {count} ÷ 365, o ÷ 366 para los días de un año bisiesto).',
  ],
  'accrued.leap_years.capped': [
    '{from|date} through {through|date}: {days|days} on a balance of {balance|money} at {rate|rate} a year ({balance|money} × {rate|rate} × {count} ÷ 365, or ÷ 366 for days in a leap year). The rate is capped by law; the agreed rate is {agreed_rate|rate}.',
    'Del {from|date} al {through|date}: {days|days} sobre un saldo de {balance|money} al {rate|rate} anual ({balance|money} × {rate|rate} × {count} ÷ 365, o ÷ 366 para los días de un año bisiesto). La ley limita la tasa; la tasa acordada es del {agreed_rate|rate}.',
  ],
  'accrued.period': [
    '{from|date} through {through|date}: {days|days} of a period of {period_days|days} that earns a total of {period_interest|money} in interest ({period_interest|money} × {count} ÷ {period_count}).',
    'Del {from|date} al {through|date}: {days|days} de un período de {period_days|days} que genera {period_interest|money} de intereses en total ({period_interest|money} × {count} ÷ {period_count}).',
  ],
  'accrued.period.capped': [
    '{from|date} through {through|date}: {days|days} of a period of {period_days|days} that earns a total of {period_interest|money} in interest ({period_interest|money} × {count} ÷ {period_count}). The rate is capped by law; the agreed rate is {agreed_rate|rate}.',
    'Del {from|date} al {through|date}: {days|days} de un período de {period_days|days} que genera {period_interest|money} de intereses en total ({period_interest|money} × {count} ÷ {period_count}). La ley limita la tasa; la tasa acordada es del {agreed_rate|rate}.',
  ],
  suspended: [
    '{from|date} through {through|date}: interest was paused, so these days add nothing to this figure.',
    'Del {from|date} al {through|date}: los intereses estaban en pausa, así que estos días no suman nada a esta cifra.',
  ],
  'suspended.promo': [
    '{from|date} through {through|date}: a promotion defers {deferred|money} in interest, which is not part of this figure. It becomes due only if the conditions of the promotion are not met.',
    'Del {from|date} al {through|date}: una promoción aplaza {deferred|money} de intereses, que no forman parte de esta cifra. Se deberán solo si no se cumplen las condiciones de la promoción.',
  ],
  interest_free: [
    '{balance|money} of the principal bears no interest as long as each statement is paid in full by its due date.',
    '{balance|money} del capital no generan intereses mientras cada estado de cuenta se pague por completo a más tardar en su vencimiento.',
  ],
  caught_up: [
    '{from|date}: interest became due for days on which it was paused.',
    '{from|date}: intereses de los días en que estuvieron en pausa, que ahora se deben.',
  ],
  boarded: [
    '{from|date}: interest that was already owed when the loan was taken over.',
    '{from|date}: intereses que ya se debían cuando se recibió el préstamo.',
  ],
  already_paid: [
    'Already paid or credited for the first of these days.',
    'Ya pagado o acreditado por los primeros de estos días.',
  ],

  'installment.unpaid': [
    'Payment {number}, due {due_date|date}: {asked|money}, of which nothing has been paid.',
    'Pago {number}, con vencimiento el {due_date|date}: {asked|money}, sin nada pagado todavía.',
  ],
  'installment.partly_paid': [
    'Payment {number}, due {due_date|date}: {asked|money}, of which {paid|money} has been paid.',
    'Pago {number}, con vencimiento el {due_date|date}: {asked|money}, de los que ya se pagaron {paid|money}.',
  ],
  limited_to_debt: [
    'Reduced to what the loan still owes.',
    'Reducido a lo que todavía se debe del préstamo.',
  ],
  'final.principal': [
    'Final payment, due {due_date|date}: the principal balance.',
    'Último pago, con vencimiento el {due_date|date}: el saldo de capital.',
  ],
  'final.interest': [
    'Final payment, due {due_date|date}: the interest owed on that date.',
    'Último pago, con vencimiento el {due_date|date}: los intereses que se deberán en esa fecha.',
  ],
  'final.fees': [
    'Final payment, due {due_date|date}: the unpaid fees.',
    'Último pago, con vencimiento el {due_date|date}: los cargos pendientes.',
  ],
  'final.prepaid_interest': [
    'Interest paid in advance that will not be earned by {due_date|date}.',
    'Intereses pagados por adelantado que no se habrán generado al {due_date|date}.',
  ],
  'final.past_due': ['Already counted above as past due.', 'Ya contado arriba como vencido.'],
  principal: ['Principal balance.', 'Saldo de capital.'],
  interest: [
    'Unpaid interest through {through|date}.',
    'Intereses pendientes hasta el {through|date}.',
  ],
  fees: ['Unpaid fees.', 'Cargos pendientes.'],
  charge_off_balance: [
    'Charged-off balance that is still owed.',
    'Saldo dado por perdido que todavía se debe.',
  ],
  prepayment_penalty: [
    'Prepayment penalty for paying off the loan on this date.',
    'Penalidad por liquidar el préstamo en esta fecha.',
  ],
  prepaid_interest: [
    'Interest paid in advance that has not been earned.',
    'Intereses pagados por adelantado que todavía no se han generado.',
  ],
  suspense: [
    'Money received that has not been applied.',
    'Dinero recibido que todavía no se ha aplicado.',
  ],
  limited_to_zero: [
    'The credits are larger than the balance, so nothing more is owed.',
    'Los créditos son mayores que el saldo, así que no se debe nada más.',
  ],
  fee: [
    '{fee|fee_type} of {assessed|date}, not included in a scheduled payment.',
    '{fee|fee_type} del {assessed|date}, no incluido en un pago del calendario.',
  ],

  since_due_date: [
    'On {to|date}, the oldest payment that is not fully paid is {days|days} past its due date, {from|date}.',
    'Al {to|date}, el pago más antiguo que no está pagado por completo lleva {days|days} de atraso desde su vencimiento, el {from|date}.',
  ],
  paused: [
    '{from|date} through {to|date}: {days|days} not counted because of an agreement.',
    'Del {from|date} al {to|date}: {days|days} sin contar por un acuerdo.',
  ],
  grace: [
    'Grace period of {days|days}, which does not count.',
    'Período de gracia de {days|days}, que no cuenta.',
  ],

  'late_fee_charged.rule': [
    'Late fee of {assessed|date} for the payment due {due_date|date}, which was not paid in full by {last_day|date}: {policy}.',
    'Cargo por pago atrasado del {assessed|date} por el pago que vencía el {due_date|date} y no se pagó por completo a más tardar el {last_day|date}: {policy}.',
  ],
  'late_fee_charged.base': [
    'Late fee of {assessed|date} for the payment due {due_date|date}, which was not paid in full by {last_day|date}: {policy}, here of {base|money}.',
    'Cargo por pago atrasado del {assessed|date} por el pago que vencía el {due_date|date} y no se pagó por completo a más tardar el {last_day|date}: {policy}, aquí de {base|money}.',
  ],
  'late_fee_charged.other': [
    'Late fee of {assessed|date}.',
    'Cargo por pago atrasado del {assessed|date}.',
  ],
  late_fee_settled: [
    'Part of the late fee of {assessed|date} that was paid, waived or moved to another balance.',
    'Parte del cargo por pago atrasado del {assessed|date} que ya se pagó, se condonó o se pasó a otro saldo.',
  ],
  'late_fee_rule.standard': [
    'The agreement charges {policy} if a payment is not complete {grace|days} after its due date.',
    'El contrato cobra {policy} si un pago no está completo {grace|days} después de su vencimiento.',
  ],
  'late_fee_rule.standard_fee': [
    'The agreement charges {policy} if a payment is not complete {grace|days} after its due date, unless the past-due amount does not exceed the fee.',
    'El contrato cobra {policy} si un pago no está completo {grace|days} después de su vencimiento, salvo que el monto vencido no supere el cargo.',
  ],
  'late_fee_rule.current': [
    'The agreement charges {policy} if a payment is not complete {grace|days} after its due date, unless something was paid since the previous due date.',
    'El contrato cobra {policy} si un pago no está completo {grace|days} después de su vencimiento, salvo que se haya pagado algo desde el vencimiento anterior.',
  ],
  late_fee_pending: [
    'The payment due {due_date|date} avoids a late fee of {fee_amount|money} if it is paid in full by {last_day|date}.',
    'El pago que vence el {due_date|date} evita un cargo por atraso de {fee_amount|money} si se paga por completo a más tardar el {last_day|date}.',
  ],
  'late_fee_exempt.small_remainder': [
    'No late fee for the payment due {due_date|date}: the past-due amount did not exceed the fee.',
    'Sin cargo por atraso para el pago que vencía el {due_date|date}: el monto vencido no superaba el cargo.',
  ],
  'late_fee_exempt.partly_paid': [
    'No late fee for the payment due {due_date|date}: something was paid since the previous due date.',
    'Sin cargo por atraso para el pago que vencía el {due_date|date}: se había pagado algo desde el vencimiento anterior.',
  ],
  'late_fee_exempt.legal_condition': [
    'No late fee for the payment due {due_date|date}, because the law does not allow it.',
    'Sin cargo por atraso por el pago que vence el {due_date|date}, porque la ley no lo permite.',
  ],
  'late_fee_exempt.agreement': [
    'No late fee for the payment due {due_date|date}, because of an agreement.',
    'Sin cargo por atraso para el pago que vence el {due_date|date}, por un acuerdo.',
  ],
  'late_fee_exempt.servicing_transfer': [
    'No late fee for the payment due {due_date|date}, because the loan came from another servicer shortly before.',
    'Sin cargo por atraso para el pago que vence el {due_date|date}, porque el préstamo llegó poco antes de otro administrador.',
  ],
  'late_fee_exempt.frozen': [
    'No late fee for the payment due {due_date|date}, because late fees are paused.',
    'Sin cargo por atraso para el pago que vence el {due_date|date}, porque los cargos están en pausa.',
  ],
  no_late_fee: ['The agreement has no late fee.', 'El contrato no tiene cargo por pago atrasado.'],

  'fee_type.origination': ['Origination fee', 'Cargo por apertura'],
  'fee_type.late': ['Late fee', 'Cargo por pago atrasado'],
  'fee_type.nsf': ['Insufficient funds fee', 'Cargo por fondos insuficientes'],
  'fee_type.returned_payment': ['Returned payment fee', 'Cargo por pago devuelto'],
  'fee_type.modification': ['Modification fee', 'Cargo por modificación'],
  'fee_type.due_date_change': ['Due date change fee', 'Cargo por cambio de fecha'],
  'fee_type.convenience': ['Convenience fee', 'Cargo por servicio'],
  'fee_type.annual': ['Annual fee', 'Cargo anual'],
  'fee_type.draw': ['Draw fee', 'Cargo por retiro'],
  'fee_type.payoff': ['Payoff fee', 'Cargo por liquidación'],
  'fee_type.legal': ['Legal fee', 'Gastos legales'],
  'fee_type.recovery': ['Recovery fee', 'Gastos de cobranza'],
  'fee_type.prepayment_penalty': ['Prepayment penalty', 'Penalidad por pago adelantado'],
  'fee_type.adjustment': ['Adjustment', 'Ajuste'],
  'fee_type.other': ['Fee', 'Cargo'],
} as const satisfies Phrases;

export type ExplanationKey = keyof typeof TEXTS;
export type ExplanationReader = { language: string; locale: string; currency: string };
type Value = string | number | null | ((reader: ExplanationReader) => string);
/** The values of a sentence. A function returns a text in the reader's language. */
export type ExplanationValues = Readonly<Record<string, Value>>;

const PLACEHOLDER = /\{(\w+)(?:\|(\w+))?\}/g;

/** The sentence of a key in the reader's language, with its values formatted. Default: English. */
export function explanationText(
  key: ExplanationKey,
  values: ExplanationValues,
  reader: ExplanationReader,
): string {
  const language = reader.language.slice(0, 2).toLowerCase() === 'es' ? 'es' : 'en';
  const setting = { currency: reader.currency, locale: documentLocale(language, reader.locale) };
  const wordsOf = (phrase: ExplanationKey) => TEXTS[phrase][language === 'es' ? 1 : 0];
  const format = (value: Value, kind: string | undefined): string => {
    if (typeof value === 'function') return value(reader);
    if (kind === 'days') return daysText(Number(value), language);
    if (kind === 'fee_type') return wordsOf(feeTypeKey(String(value)));
    const filter = kind === undefined ? undefined : filters[FILTERS.get(kind) ?? ''];
    return filter?.(value, setting) ?? String(value ?? '');
  };
  return wordsOf(key).replace(PLACEHOLDER, (_, name: string, kind?: string) =>
    format(values[name] ?? null, kind),
  );
}

const FILTERS: ReadonlyMap<string, string> = new Map([
  ['money', 'currency'],
  ['date', 'date'],
  ['rate', 'percent'],
]);

const isKey = (key: string): key is ExplanationKey => Object.hasOwn(TEXTS, key);

function feeTypeKey(type: string): ExplanationKey {
  const key = `fee_type.${type}`;
  return isKey(key) ? key : 'fee_type.other';
}

function daysText(days: number, language: 'en' | 'es'): string {
  if (language === 'es') return `${days} ${days === 1 ? 'día' : 'días'}`;
  return `${days} ${days === 1 ? 'day' : 'days'}`;
}

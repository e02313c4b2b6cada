import { isZero, money, parseMoney, sum } from '../../money.ts';
import type { EarlierTransaction } from './history-input.ts';

/** A reason why a transaction cannot be translated. */
export class Refused extends Error {
  readonly column: string;
  constructor(column: string, reason: string) {
    super(reason);
    this.column = column;
  }
}

/** A waiver can be a part of its fee. */
export const fits = ({ type, amount }: EarlierTransaction, whole: string): boolean =>
  type === 'fee_waiver'
    ? parseMoney(amount ?? '0.00').lte(whole)
    : parseMoney(amount ?? '0.00').eq(whole);

export const isNothing = (amount: string | null | undefined): boolean =>
  amount === null || amount === undefined || isZero(parseMoney(amount));

/** The amount, or the sum of its parts. */
export function amountOf({ amount, principal, interest, fees }: EarlierTransaction): string {
  const parts = [principal, interest, fees].flatMap((part) => part ?? []);
  const given =
    amount ?? (parts.length > 0 ? money(sum(parts.map((part) => parseMoney(part)))) : null);
  if (given === null || parseMoney(given).lte(0))
    throw new Refused('amount', 'Must be more than zero.');
  return money(parseMoney(given));
}

export function rateOf({ rate }: EarlierTransaction): string {
  if (rate === null || rate === undefined) throw new Refused('rate', 'Is required.');
  return rate;
}

/** A credit that the previous servicer applied to one component is applied to it here. */
export function targetOf({ principal, interest, fees }: EarlierTransaction) {
  const applied = (
    [
      ['principal', principal],
      ['interest', interest],
      ['fees', fees],
    ] as const
  ).filter(([, part]) => !isNothing(part));
  const [only, ...others] = applied;
  return only === undefined || others.length > 0 ? 'waterfall' : only[0];
}

export const words = (types: readonly string[]) =>
  types.map((type) => type.replaceAll('_', ' ')).join(' or ');

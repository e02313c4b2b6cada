import { addressFields, personFields, textField, type Consumer } from './fields.ts';

/** The segment of another person who owes the account. */
type Associated = { kind: 'J1' | 'J2'; segment: string; who: Consumer };

const WIDTHS = { J1: 100, J2: 200 } as const;

/**
 * The segments that follow a base segment: J1 for a person at the base consumer's address, J2 for a person
 * at another address (Credit Reporting Resource Guide, exhibits of the J1 and J2 segments).
 */
export const associatedSegments = (base: Consumer, others: readonly Consumer[]): Associated[] =>
  others.map((who) => {
    const kind = isSame(addressFields(base), addressFields(who)) ? 'J1' : 'J2';
    const own = [
      kind,
      ' ',
      ...personFields(who),
      textField(who['ecoa_code'], 1),
      textField(who['consumer_information_indicator'], 2),
      ...(kind === 'J2' ? addressFields(who) : []),
    ];
    return { kind, segment: own.join('').padEnd(WIDTHS[kind]), who };
  });

const isSame = (one: readonly string[], other: readonly string[]) =>
  one.slice(0, 6).join('') === other.slice(0, 6).join('');

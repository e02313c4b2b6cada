import { Big } from 'big.js';
import { copyTerms } from './loan-terms.ts';

/** Rules that a product need not have. Left out, they mean "none". */
const WITHOUT_DEFAULT: readonly string[] = [
  ...(['balloon_amount', 'prepayment_penalty', 'minimum_payment'] as const),
  ...(['cycle_day', 'payment_due_days'] as const),
];
const SETTINGS = { installment_tolerance: '0.00', accrual_relief: true };

/**
 * The names of the rules that loans copy from a product and in which the description differs from the product. Rules that
 * the description leaves out are not compared, unless they mean "none".
 */
export function differingTerms(
  described: Record<string, unknown>,
  product: Record<string, unknown>,
): string[] {
  const [own, other] = [termsOf(described), termsOf(product)];
  return Object.keys(other).filter(
    (name) =>
      (described[name] !== undefined || WITHOUT_DEFAULT.includes(name)) &&
      canonicalTerm(own[name]) !== canonicalTerm(other[name]),
  );
}

const termsOf = ({ fee_rules, ...product }: Record<string, unknown>): Record<string, unknown> => {
  const rules = Array.isArray(fee_rules) ? (fee_rules as object[]) : [];
  // Each tenant gives its rules ids of its own.
  const unnamed = { ...product, fee_rules: rules.map((rule) => ({ ...rule, id: undefined })) };
  const terms: Record<string, unknown> = copyTerms(unnamed, SETTINGS);
  return { loan_type: product['loan_type'], ...terms };
};

/** A text that is equal for equal values of terms. Amounts may be stored as numbers or as texts. */
export function canonicalTerm(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalTerm).join(',')}]`;
  if (typeof value !== 'object') return JSON.stringify(numeric(String(value)));
  const entries = Object.entries(value)
    .filter(([, part]) => part !== null && part !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, part]) => `${name}:${canonicalTerm(part)}`);
  return `{${entries.join(',')}}`;
}

const numeric = (text: string) => (/^-?\d+\.\d+$/.test(text) ? new Big(text).toString() : text);

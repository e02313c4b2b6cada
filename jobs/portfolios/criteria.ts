import { Big } from 'big.js';
import { z } from 'zod';
import type { LimitedColumn, MatchCriteria } from '../../sql/portfolios/membership.ts';
import * as portfolios from '../../sql/portfolios/portfolios.ts';
import { date, integer, money, rate, uuid } from '../../sql/types.ts';
import { Invalid } from '../errors.ts';
import { derivedFrom } from '../facts.ts';
import { DELINQUENCY_BUCKETS } from '../loans/engine/delinquency.ts';
import { JURISDICTIONS } from '../loans/products/program-types.ts';
import type { Work } from '../work.ts';

/** One value, or a list of which any may match. */
const anyOf = <One extends z.ZodType>(value: One) =>
  z.union([value, z.array(value).min(1).max(500)]);
const label = z.string().min(1).max(50).toLowerCase();

/** The criteria of a dynamic portfolio. A loan must meet all of them. */
export const Criteria = z.strictObject({
  program_id: derivedFrom(anyOf(uuid).optional(), 'loans.program_id').describe(
    'One program, or a list of which any matches.',
  ),
  product_id: derivedFrom(anyOf(uuid).optional(), 'loans.product_id').describe(
    'One product, or a list.',
  ),
  status: derivedFrom(anyOf(z.enum(['approved', 'active'])).optional(), 'loans.status').describe(
    'One status, or a list. Default: both.',
  ),
  state: derivedFrom(anyOf(z.enum(JURISDICTIONS)).optional(), 'addresses.state').describe(
    "The state of the borrower's primary address, or a list.",
  ),
  delinquency_bucket: derivedFrom(
    anyOf(z.enum(DELINQUENCY_BUCKETS)).optional(),
    'loans.delinquency_bucket',
  ).describe('One bucket, or a list.'),
  labels: derivedFrom(anyOf(label).optional(), 'loans.labels').describe(
    'One label, or a list of which any matches.',
  ),
  origination_date_start: derivedFrom(date.optional(), 'loans.origination_date').describe(
    'The earliest origination date, or disbursement date without one.',
  ),
  origination_date_end: derivedFrom(date.optional(), 'loans.origination_date').describe(
    'The latest origination or disbursement date.',
  ),
  min_principal: derivedFrom(money.optional(), 'loans.principal_amount').describe(
    'The smallest principal amount.',
  ),
  max_principal: derivedFrom(money.optional(), 'loans.principal_amount').describe(
    'The largest principal amount.',
  ),
  min_rate: derivedFrom(rate.optional(), 'loans.interest_rate').describe(
    'The lowest contract rate.',
  ),
  max_rate: derivedFrom(rate.optional(), 'loans.interest_rate').describe(
    'The highest contract rate.',
  ),
  min_term_months: derivedFrom(integer.min(0).max(1200).optional(), 'loans.term_months').describe(
    'The shortest term.',
  ),
  max_term_months: derivedFrom(integer.min(0).max(1200).optional(), 'loans.term_months').describe(
    'The longest term.',
  ),
});
export type Criteria = z.output<typeof Criteria>;

type Limit =
  | 'origination_date_start'
  | 'origination_date_end'
  | `${'min' | 'max'}_${'principal' | 'rate' | 'term_months'}`;
const LIMITS: [Limit, Limit, LimitedColumn][] = [
  ['origination_date_start', 'origination_date_end', 'origination_date'],
  ['min_principal', 'max_principal', 'principal_amount'],
  ['min_rate', 'max_rate', 'interest_rate'],
  ['min_term_months', 'max_term_months', 'term_months'],
];

/**
 * Throws `Invalid` if a dynamic portfolio has no criteria, a range is empty, or a program or product does
 * not exist.
 */
export async function assertCriteria({ tx }: Work, criteria: Criteria, isDynamic: boolean) {
  if (isDynamic && Object.values(criteria).every((value) => value === undefined))
    throw new Invalid({ criteria: 'A dynamic portfolio needs at least one criterion.' });
  for (const [least, most] of LIMITS) {
    const [low, high] = [criteria[least], criteria[most]];
    if (low === undefined || high === undefined) continue;
    const isBackwards = least.startsWith('origination')
      ? String(low) > String(high)
      : new Big(String(low)).gt(String(high));
    if (isBackwards) throw new Invalid({ [`criteria.${most}`]: `Is below ${least}.` });
  }
  const unknown = await portfolios.findMissingReference(
    tx,
    listOf(criteria.program_id) ?? [],
    listOf(criteria.product_id) ?? [],
  );
  if (unknown.program_id) throw new Invalid({ 'criteria.program_id': 'Does not exist.' });
  if (unknown.product_id) throw new Invalid({ 'criteria.product_id': 'Does not exist.' });
}

/** Converts criteria to the form of the SQL query. */
export function toMatchCriteria(criteria: Criteria): MatchCriteria {
  const any: MatchCriteria['any'] = {};
  for (const column of ['program_id', 'product_id', 'status', 'delinquency_bucket'] as const) {
    const values = listOf(criteria[column]);
    if (values) any[column] = values;
  }
  const states = listOf(criteria.state);
  const labels = listOf(criteria.labels);
  const limits = LIMITS.flatMap(([least, most, column]) => [
    ...limitOf(column, 'least', criteria[least]),
    ...limitOf(column, 'most', criteria[most]),
  ]);
  return { any, limits, ...(states && { states }), ...(labels && { labels }) };
}

const limitOf = (
  column: LimitedColumn,
  operator: 'least' | 'most',
  value: string | number | undefined,
) => (value === undefined ? [] : [{ column, operator, value: String(value) }]);

const listOf = (value: string | string[] | undefined): string[] | undefined =>
  value === undefined ? undefined : [value].flat();

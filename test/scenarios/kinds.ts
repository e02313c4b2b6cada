import { Big } from 'big.js';
import { between, cents, planned, plus } from './by-hand.ts';

/** The year includes a February 29. */
export const START = '2027-10-15';
export const END = '2028-10-16';

export type Wish = {
  name: string;
  rate: string;
  months: number;
  amount: string;
  product: Record<string, unknown>;
  first?: string;
  year?: bigint;
  shape?: 'level' | 'level_principal' | 'interest_only';
  balloon?: bigint;
};

const LATE_FEE = {
  fee_type: 'late',
  calculation: 'flat',
  amount: '25.00',
  trigger: 'past_due',
} as const;

export const WISHES: readonly Wish[] = [
  { name: 'level payment', rate: '0.085', months: 36, amount: '10000.00', product: {} },
  {
    name: 'level principal',
    rate: '0.0725',
    months: 24,
    amount: '7000.00',
    product: { amortization: 'level_principal' },
    shape: 'level_principal',
  },
  {
    name: 'interest only',
    rate: '0.06',
    months: 24,
    amount: '25000.00',
    product: { amortization: 'interest_only' },
    shape: 'interest_only',
  },
  {
    name: 'balloon',
    rate: '0.0999',
    months: 24,
    amount: '12000.00',
    product: { amortization: 'balloon', balloon_amount: '5000.00' },
    balloon: 500000n,
  },
  {
    name: 'scheduled',
    rate: '0.12',
    months: 36,
    amount: '9000.00',
    product: { interest_method: 'scheduled', day_count: '30_360' },
  },
  {
    name: 'biweekly',
    rate: '0.18',
    months: 24,
    amount: '5000.00',
    product: {
      payment_frequency: 'biweekly',
      day_count: 'actual_360',
      installment_calculation: 'actual_days',
    },
    first: '2027-11-08',
    year: 360n,
  },
  { name: 'without interest', rate: '0', months: 12, amount: '1200.00', product: {} },
  {
    name: 'with late fees',
    rate: '0.2399',
    months: 36,
    amount: '4321.09',
    product: { fee_rules: [LATE_FEE] },
  },
];

/** The rows of the contract by the test's own arithmetic. */
export function rowsOf({
  rate,
  months,
  amount,
  product,
  first,
  year = 365n,
  shape,
  balloon,
}: Wish) {
  const isBiweekly = product['payment_frequency'] === 'biweekly';
  const count = isBiweekly ? Math.ceil((months * 26) / 12) : months;
  const dues = Array.from({ length: count }, (_, index) =>
    isBiweekly
      ? plus(first ?? START, index * 14)
      : new Date(Date.UTC(2027, 10 + index, 15)).toISOString().slice(0, 10),
  );
  const factors = dues.map((due, index) =>
    isBiweekly
      ? new Big(rate).times(String(between(dues[index - 1] ?? START, due))).div(String(year))
      : new Big(rate).div(12),
  );
  const principal = cents(amount);
  const pace = { millionths: BigInt(new Big(rate).times(1_000_000).toFixed(0)), year };
  return planned({
    start: START,
    dues,
    principal,
    factors,
    shape: shape ?? 'level',
    ...(product['interest_method'] !== 'scheduled' && { pace }),
    ...(balloon !== undefined && { balloon }),
  });
}

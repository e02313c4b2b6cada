import type { Big } from 'big.js';
import { atLeastZero, sum, ZERO } from '../../money.ts';
import { feesIn } from '../schedule/spread-fees.ts';
import { payableInstallments } from './coverage.ts';
import { outstandingFeeAmount, type Position } from './position.ts';

/** The open amount of spread fees, minus the parts that later installments will ask for. */
export function spreadFeesDue(position: Position, date: string): Big {
  if (position.fees.size === 0) return ZERO;
  const spread = [...position.fees.values()].filter(({ is_spread }) => is_spread);
  if (spread.length === 0) return ZERO;
  const uncanceled = position.installments.filter(({ is_canceled }) => !is_canceled);
  const later = uncanceled.slice(payableInstallments(uncanceled, date).length);
  return atLeastZero(
    sum(spread.map(outstandingFeeAmount)).minus(feesIn(later.map(({ row }) => row))),
  );
}

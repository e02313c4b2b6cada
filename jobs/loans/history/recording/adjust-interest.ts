import { Big } from 'big.js';
import * as accruals from '../../../../sql/loans/accruals.ts';
import type { RawLoan } from '../../../../sql/loans/loans.ts';
import { ACCRUAL_ROLES } from '../../../ledger/chart.ts';
import { postNewEntry } from '../../../ledger/post.ts';
import { money } from '../../../money.ts';
import type { Work } from '../../../work.ts';
import type { LoanEvent } from '../../engine/events.ts';
import { interestBrought } from '../../engine/posting/postings.ts';
import type { LoanState } from '../../engine/state.ts';

/** Posts one accrual adjustment. Does nothing if the amount is zero. */
export async function adjustInterest(
  work: Work,
  row: Pick<RawLoan, 'id' | 'loan_number'>,
  amount: Big,
  reference_id: string | null,
) {
  if (amount.eq(0)) return;
  const isRise = amount.gt(0);
  // `reference_id` is a new event or null, so this entry cannot exist yet.
  const entry_id = await postNewEntry(work, {
    entry_date: work.today,
    reference_type: 'interest_accrual',
    reference_id,
    purpose: 'adjustment',
    loan_id: row.id,
    description: `Interest adjustment ${row.loan_number}`,
    debit: { [isRise ? ACCRUAL_ROLES.debit : ACCRUAL_ROLES.credit]: money(amount.abs()) },
    credit: { [isRise ? ACCRUAL_ROLES.credit : ACCRUAL_ROLES.debit]: money(amount.abs()) },
  });
  if (entry_id !== null)
    await accruals.addAdjustment(work.tx, row.id, work.today, money(amount), entry_id);
}

/** Interest earned here. Interest accrued by a previous servicer was posted at boarding. */
export function earnedInterest(state: LoanState, events: readonly LoanEvent[]): Big {
  const boarding = events.find((event) => event.kind === 'boarding');
  return new Big(state.interest_earned).minus(boarding ? interestBrought(boarding) : 0);
}

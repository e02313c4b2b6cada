import { insert, type Values } from '../../sql/write.ts';
import type { Stage, Tenant } from './world.ts';

/** Inserts daily snapshots of a loan. Default: 5000.00 of principal and 10.00 of interest. */
export async function insertDailySnapshots(
  stage: Stage,
  tenant: Tenant,
  loan_id: string,
  days: Record<string, Values>,
) {
  const [first = ''] = Object.keys(days).toSorted();
  await tenant.within(async ({ tx }) => {
    for (const [snapshot_date, values] of Object.entries(days)) {
      await insert(tx, 'loan_snapshots', { ...INITIAL_LOAN, loan_id, snapshot_date, ...values });
    }
  });
  await stage.owner.query(
    `insert into loan_attribute_history
       (tenant_id, loan_id, from_date, program, product, term_months, payment_frequency,
        modification_count)
     values ($1, $2, $3, 'Personal', 'Instalments', 36, 'monthly', 0)`,
    [tenant.id, loan_id, first],
  );
}

const INITIAL_LOAN = {
  status: 'active',
  principal_balance: '5000',
  accrued_interest: '10',
  outstanding_fees: '0',
  total_balance: '5010',
  suspense_balance: '0',
  payoff_amount: '5010',
  per_diem: '1',
  interest_accrued_today: '1',
  past_due_amount: '0',
  days_past_due: 0,
  delinquency_bucket: 'current',
  total_paid_principal: '1',
  total_paid_interest: '2',
  total_paid_fees: '3',
  interest_rate: '0.1',
  remaining_term: 36,
  is_frozen: false,
  is_accelerated: false,
  is_non_accrual: false,
  charge_off_balance: '0',
  labels: [],
};

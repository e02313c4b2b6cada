import { sql } from '../database/db.ts';

/** What any loan allows, whatever its status (specification, "any" in the condition column). */
const ALWAYS = [
  'freeze',
  'unfreeze',
  'accelerate',
  'reverse-acceleration',
  'assign-officer',
  'add-labels',
  'remove-labels',
  'run-compliance-checks',
] as const;

/**
 * Which actions each status allows besides, said once: the loan's own answer is
 * computed from this table, and jobs/loans/history/statuses.ts refuses by it. What is not listed is refused;
 * what is allowed may still meet a guard of its own.
 */
export const ACTIONS_BY_STATUS = {
  pending: ['approve', 'deny', 'cancel', ...ALWAYS],
  approved: ['disburse', 'cancel', ...ALWAYS],
  denied: ALWAYS,
  canceled: ALWAYS,
  active: [
    'disburse',
    'charge-off',
    'pay-off',
    'non-accrual',
    'reschedule',
    'change-due-date',
    'activate-promo',
    'payments',
    ...ALWAYS,
  ],
  paid_off: ALWAYS,
  charged_off: ['reverse-charge-off', 'payments', ...ALWAYS],
  settled: ALWAYS,
  transferred: ALWAYS,
} as const satisfies Record<string, readonly string[]>;

/** The actions of `record.status`, as the loan shows them; a part that is charged off may be put back. */
export const allowedActions = sql.fragment`
  (${JSON.stringify(ACTIONS_BY_STATUS)}::jsonb -> record.status)
    || case
      when record.status = 'active' and record.charge_off_balance > 0
      then '["reverse-charge-off"]'::jsonb else '[]'::jsonb
    end
`;

import { Conflict } from '../errors.ts';

export const LOAN_STATUSES = [
  'pending',
  'approved',
  'denied',
  'canceled',
  'active',
  'paid_off',
  'charged_off',
  'settled',
  'transferred',
] as const;
export type LoanStatus = (typeof LOAN_STATUSES)[number];

/**
 * Which actions each status allows (decisions 3.1). What is not listed is refused; what is allowed may
 * still meet a guard of its own.
 */
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
const ALLOWED: Record<LoanStatus, readonly string[]> = {
  pending: ['approve', 'deny', 'cancel'],
  approved: ['disburse', 'cancel'],
  denied: [],
  canceled: [],
  active: [
    'disburse',
    'charge-off',
    'pay-off',
    'non-accrual',
    'reschedule',
    'change-due-date',
    'activate-promo',
    'payments',
  ],
  paid_off: [],
  charged_off: ['reverse-charge-off', 'payments'],
  settled: [],
  transferred: [],
};

export const allowedActions = (status: string): string[] => [
  ...(ALLOWED[status as LoanStatus] ?? []),
  ...ALWAYS,
];

const PAST: Record<string, string> = {
  approve: 'approved',
  deny: 'denied',
  cancel: 'canceled',
  disburse: 'disbursed',
  'charge-off': 'charged off',
  'pay-off': 'paid off',
  payments: 'paid',
};

/** Refuses an action that the loan's status does not allow. */
export function assertAllowed(status: string, action: string) {
  if (allowedActions(status).includes(action)) return;
  const done = PAST[action] ?? `changed by ${action}`;
  throw new Conflict(
    `A loan that is ${status.replaceAll('_', ' ')} cannot be ${done}.`,
    'invalid_transition',
    {
      current_status: status,
      allowed_actions: allowedActions(status),
    },
  );
}

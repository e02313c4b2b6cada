import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { sql } from '../database/db.ts';
import { isOpenInstallment } from './installments.ts';

/** Actions that every status allows (specification: "any" in the state column). */
const ALWAYS = [
  'freeze',
  'unfreeze',
  'reverse-acceleration',
  'assign-officer',
  'add-labels',
  'remove-labels',
  'run-compliance-checks',
] as const;

/** Actions of a loan that is not closed. A closed loan cannot be accelerated. */
const OPEN = [...ALWAYS, 'accelerate'] as const;

/** Actions of a closed loan. A payment for it is received and stays in suspense. */
const CLOSED = ['payments', ...ALWAYS] as const;

export const ACTIONS_BY_STATUS = {
  pending: ['approve', 'deny', 'cancel', ...OPEN],
  approved: ['disburse', 'cancel', ...OPEN],
  denied: ALWAYS,
  canceled: CLOSED,
  active: [
    'disburse',
    'charge-off',
    'reverse-charge-off',
    'pay-off',
    'non-accrual',
    'reschedule',
    'change-due-date',
    'activate-promo',
    'payments',
    'draws',
    ...OPEN,
  ],
  paid_off: CLOSED,
  charged_off: ['reverse-charge-off', 'payments', ...OPEN],
  settled: CLOSED,
  transferred: CLOSED,
} as const satisfies Record<string, readonly string[]>;

type Alias = 'loan' | 'record';

/** A blocker's code and its condition. The first blocker that holds is reported. */
type Blocker = readonly [code: string, when: SqlFragment];

/**
 * The blockers of actions that the status allows. Blockers that depend on the request, such as on its
 * amount, are checked where the request is handled.
 */
const actionBlockers = (alias: Alias, today: SqlFragment): Record<string, readonly Blocker[]> => {
  const its = (column: string) => sql.identifier([alias, column]);
  const hasStatus = (status: string) => sql.fragment`${its('status')} = ${status}`;
  const atRest = sql.fragment`
    ${hasStatus('active')} and (${its('is_frozen')} or ${its('is_accelerated')} or ${its('is_non_accrual')})`;
  const nothingAhead = sql.fragment`
    ${hasStatus('active')} and (${its('is_accelerated')} or not ahead.is_asked)`;
  const isBilledByCycle = sql.fragment`${its('is_billed_by_cycle')}`;
  return {
    cancel: [['already_disbursed', sql.fragment`${its('disbursed_amount')} > 0`]],
    disburse: [
      ['archived', sql.fragment`${hasStatus('approved')} and ${its('is_archived')}`],
      [
        'rescission_period',
        sql.fragment`${hasStatus('approved')} and ${its('rescission_ends')} >= ${today}`,
      ],
      ['not_fundable', atRest],
      [
        'exceeds_commitment',
        sql.fragment`${hasStatus('active')} and ${its('disbursed_amount')} >= ${its('principal_amount')}`,
      ],
    ],
    draws: [
      ['not_a_line', sql.fragment`${its('loan_type')} <> 'line_of_credit'`],
      ['not_fundable', atRest],
      [
        'exceeds_available_credit',
        sql.fragment`
          ${its('principal_balance')} >= coalesce(${its('credit_limit')}, ${its('principal_amount')})`,
      ],
    ],
    'reverse-charge-off': [
      [
        'invalid_transition',
        sql.fragment`${hasStatus('active')} and ${its('charge_off_balance')} = 0`,
      ],
      ['recovery_posted', sql.fragment`${its('recovered_amount')} > 0`],
      [
        'before_boarding',
        sql.fragment`${hasStatus('charged_off')} and not exists (
          select from loan_events where loan_id = ${its('id')} and kind = 'charge_off' and reversed_by is null
        )`,
      ],
    ],
    reschedule: [
      ['billed_by_cycle', isBilledByCycle],
      ['no_installments_ahead', nothingAhead],
    ],
    'change-due-date': [
      ['billed_by_cycle', isBilledByCycle],
      ['no_payment_day', sql.fragment`${its('payment_frequency')} not in ('monthly', 'quarterly')`],
      ['no_installments_ahead', nothingAhead],
    ],
    // These do nothing when the loan already is in that state, so they are not offered.
    freeze: [['already_frozen', sql.fragment`${its('is_frozen')}`]],
    unfreeze: [['not_frozen', sql.fragment`not ${its('is_frozen')}`]],
    accelerate: [
      ['already_accelerated', sql.fragment`${its('is_accelerated')}`],
      ['legal_condition', sql.fragment`${its('is_acceleration_forbidden')}`],
    ],
    'reverse-acceleration': [['not_accelerated', sql.fragment`not ${its('is_accelerated')}`]],
    'activate-promo': [
      ['interest_follows_plan', sql.fragment`${its('interest_method')} in ('scheduled', 'flat')`],
    ],
  };
};

/** The codes of the blockers of each action. */
export const BLOCKER_CODES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(actionBlockers('loan', sql.fragment`current_date`)).map(([action, blockers]) => [
    action,
    blockers.map(([code]) => code),
  ]),
);

const BUSINESS_DATE = sql.fragment`(select app.business_date())`;

/** Whether any future installment is open. Two actions need this, so it is looked up once. */
const hasOpenInstallmentsAhead = (alias: Alias, today: SqlFragment) => {
  const its = (column: string) => sql.identifier([alias, column]);
  return sql.fragment`
    (
      select exists (
        select from installments
        where loan_id = ${its('id')} and version = ${its('schedule_version')}
          and due_date >= ${today} and ${isOpenInstallment('installments', sql.fragment`${its('installment_tolerance')}`)}
      ) as is_asked
      offset 0
    ) as ahead`;
};

/**
 * A JSON object with the blocker of each blocked action. Pass the business date if it is already known,
 * because reading it costs Postgres more than comparing it.
 */
export const blockersOf = (alias: Alias, today = BUSINESS_DATE) => sql.fragment`
  (
    select jsonb_strip_nulls(jsonb_build_object(${sql.join(
      Object.entries(actionBlockers(alias, today)).map(([action, blockers]) => {
        const cases = blockers.map(
          ([code, when]) => sql.fragment`when ${when} then ${sql.literalValue(code)}`,
        );
        return sql.fragment`${sql.literalValue(action)}, case ${sql.join(cases, sql.fragment` `)} end`;
      }),
      sql.fragment`, `,
    )}))
    from ${hasOpenInstallmentsAhead(alias, today)}
  )`;

/** The allowed actions of `record`: allowed by its status and without blockers. */
export const allowedActions = sql.fragment`
  (${JSON.stringify(ACTIONS_BY_STATUS)}::jsonb -> record.status)
    - array(select jsonb_object_keys(${blockersOf('record')}))
`;

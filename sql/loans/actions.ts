import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { sql } from '../database/db.ts';
import { isOpenInstallment } from './installments.ts';

/** What any loan allows, whatever its status (specification, "any" in the state column). */
const ALWAYS = [
  'freeze',
  'unfreeze',
  'reverse-acceleration',
  'assign-officer',
  'add-labels',
  'remove-labels',
  'run-compliance-checks',
] as const;

/** What a loan that is not at its end allows: of one that is, nothing can become due. */
const OPEN = [...ALWAYS, 'accelerate'] as const;

/** A loan that is not owed any more: money that arrives for it is received, and waits in suspense. */
const CLOSED = ['payments', ...ALWAYS] as const;

/** Which actions each status allows, said once. What is not listed is refused. */
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

/** By which name the loan's row goes in the statement. */
type Alias = 'loan' | 'record';

/** A code, and when it hinders; of several, the first that holds is the one that is told. */
type Blocker = readonly [code: string, when: SqlFragment];

/**
 * What stands in the way of an action that the status allows. The loan is the row of this alias. What
 * depends on the request as well, such as an amount, is judged where the request is.
 */
const blocking = (alias: Alias, today: SqlFragment): Record<string, readonly Blocker[]> => {
  const its = (column: string) => sql.identifier([alias, column]);
  const hasStatus = (status: string) => sql.fragment`${its('status')} = ${status}`;
  const atRest = sql.fragment`
    ${hasStatus('active')} and (${its('is_frozen')} or ${its('is_accelerated')} or ${its('is_non_accrual')})`;
  const nothingAhead = sql.fragment`
    ${hasStatus('active')} and (${its('is_accelerated')} or not ahead.is_asked)`;
  const isBilledByCycle = sql.fragment`
    ${its('loan_type')} = 'line_of_credit' and jsonb_typeof(${its('terms')} -> 'minimum_payment') = 'object'`;
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
          select from loan_events where loan_id = ${its('id')} and kind = 'charge_off'
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
    'activate-promo': [
      ['interest_follows_plan', sql.fragment`${its('interest_method')} in ('scheduled', 'flat')`],
    ],
  };
};

const BUSINESS_DATE = sql.fragment`(select app.business_date())`;

/** Whether an instalment ahead asks for something. Two actions ask that, and it is looked up for both at once. */
const aheadOf = (alias: Alias, today: SqlFragment) => {
  const its = (column: string) => sql.identifier([alias, column]);
  return sql.fragment`
    (
      select exists (
        select from installments
        where loan_id = ${its('id')} and version = ${its('schedule_version')}
          and due_date >= ${today} and ${isOpenInstallment('installments', sql.fragment`${its('satisfied_tolerance')}`)}
      ) as is_asked
      offset 0
    ) as ahead`;
};

/**
 * By action, the code of what hinders it; an action that nothing hinders is not named. Whoever has read the
 * business date gives it: to ask for it takes Postgres longer than to compare it.
 */
export const blockersOf = (alias: Alias, today = BUSINESS_DATE) => sql.fragment`
  (
    select jsonb_strip_nulls(jsonb_build_object(${sql.join(
      Object.entries(blocking(alias, today)).map(([action, blockers]) => {
        const cases = blockers.map(
          ([code, when]) => sql.fragment`when ${when} then ${sql.literalValue(code)}`,
        );
        return sql.fragment`${sql.literalValue(action)}, case ${sql.join(cases, sql.fragment` `)} end`;
      }),
      sql.fragment`, `,
    )}))
    from ${aheadOf(alias, today)}
  )`;

/** The actions of `record` that nothing hinders now, as the loan shows them. */
export const allowedActions = sql.fragment`
  (${JSON.stringify(ACTIONS_BY_STATUS)}::jsonb -> record.status)
    - array(select jsonb_object_keys(${blockersOf('record')}))
`;

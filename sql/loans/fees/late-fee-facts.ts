import { z } from 'zod';
import { sql, type Transaction } from '../../database/db.ts';
import { LegalConditions, legalConditionsJson } from '../legal-conditions.ts';
import { ExemptInstallment, LATE_FEE_EXEMPTIONS } from './late-fee-exemptions.ts';

/** Facts about late fees that are not in the loan's events. */
export const LateFeeFacts = z.object({
  exemptions: z.array(ExemptInstallment.extend({ reason: z.enum(LATE_FEE_EXEMPTIONS) })),
  /** Periods without late fees. A payment plan in force has no end. */
  exempt_periods: z.array(z.object({ from: z.string(), to: z.string().nullable() })),
  /** Days on which a payment may still be on its way from the previous servicer. */
  transfer_periods: z.array(z.object({ from: z.string(), to: z.string() })),
  /** The legal conditions of those who borrowed. Some forbid late fees. */
  legal: LegalConditions.nullable(),
  /** The day on which the loan's freeze ends. */
  freeze_until: z.string().nullable(),
});
export type LateFeeFacts = z.output<typeof LateFeeFacts>;

const STATUSES = sql.fragment`('scheduled', 'active', 'completed')`;

/** The facts of a row of `loans` (`loan`). Null if the loan has no late fee rule. */
export const lateFeeFacts = sql.fragment`
  case when loan.terms @? '$.fee_rules[*] ? (@.trigger == "past_due")' then jsonb_build_object(
    'exemptions', array(
      select jsonb_build_object(
        'installment_number', installment_number, 'due_date', due_date, 'fee_rule_id', fee_rule_id,
        'reason', reason
      )
      from late_fee_exemptions where loan_id = loan.id
    ),
    'exempt_periods', array(
      select jsonb_build_object('from', start_date, 'to', end_date) from forbearances
      where loan_id = loan.id and suspend_late_fees and status in ${STATUSES}
      union all
      select jsonb_build_object('from', start_date, 'to', coalesce(end_date, start_date)) from deferments
      where loan_id = loan.id and status in ${STATUSES}
      union all
      select jsonb_build_object('from', agreed_on, 'to', null) from payment_plans
      where loan_id = loan.id and status = 'active'
    ),
    'transfer_periods', array(
      select jsonb_build_object('from', protected_from, 'to', protected_until) from servicing_transfer_loans
      where loan_id = loan.id and waives_late_fees
    ),
    'legal', ${legalConditionsJson(sql.fragment`loan.id`)},
    'freeze_until', case when loan.is_frozen then loan.freeze_until end
  ) end
`;

export const readLateFeeFacts = (tx: Transaction, loanId: string) =>
  tx.oneFirst(sql.type(z.object({ facts: LateFeeFacts.nullable() }))`
    select ${lateFeeFacts} as facts from loans as loan where loan.id = ${loanId}
  `);

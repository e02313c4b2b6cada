import { z } from 'zod';
import { borrowersWithStatus } from '../cases/conditions.ts';
import { sql, type Transaction } from '../database/db.ts';
import { joinOutlookRow } from './outlook.ts';

const Facts = z.object({
  principal_amount: z.string(),
  interest_rate: z.string(),
  current_rate: z.string(),
  term_months: z.int(),
  is_funded: z.boolean(),
  min_amount: z.string().nullable(),
  max_amount: z.string().nullable(),
  min_rate: z.string().nullable(),
  max_rate: z.string().nullable(),
  min_term_months: z.int().nullable(),
  max_term_months: z.int().nullable(),
  date_of_birth: z.string().nullable(),
  military_status: z.string().nullable(),
  borrower_is_archived: z.boolean(),
  state: z.string().nullable(),
  jurisdictions: z.array(z.string()),
  compliance_checks: z.array(z.string()),
  has_twin: z.boolean(),
});

/** Includes the rates that would be disclosed today, if they can be computed. */
export type LoanFacts = z.output<typeof Facts> & {
  disclosed_apr: string | null;
  /** The military APR, which includes additional charges (Military Lending Act). */
  mapr: string | null;
};

export const readComplianceFacts = (tx: Transaction, loanId: string) =>
  tx.one(sql.type(Facts)`
    select loan.principal_amount, loan.interest_rate, coalesce(ahead.current_rate, 0) as current_rate,
           coalesce(loan.original_term_months, loan.term_months) as term_months,
           loan.status in ('active', 'charged_off') as is_funded,
           product.min_amount, product.max_amount, product.min_rate, product.max_rate,
           product.min_term_months, product.max_term_months,
           borrower.date_of_birth, borrower.military_status,
           borrower.is_archived as borrower_is_archived, address.state, program.jurisdictions,
           program.compliance_checks,
           loan.status in ('pending', 'approved') and exists (
             select from loans as other
             where other.borrower_id = loan.borrower_id and other.id <> loan.id
               and other.status in ('pending', 'approved')
               and other.principal_amount = loan.principal_amount
           ) as has_twin
    from loans as loan
    cross join (select app.business_date() as day offset 0) as today
    ${joinOutlookRow(sql.fragment`today.day`, { loan: 'loan' })}
    join lateral ${borrowersWithStatus(sql.fragment`today.day`)} as borrower
      on borrower.id = loan.borrower_id
    join programs as program on program.id = loan.program_id
    join products as product on product.id = loan.product_id
    left join addresses as address
      on address.borrower_id = borrower.id and address.is_primary and not address.is_archived
      and address.address_type = 'mailing'
    where loan.id = ${loanId}
  `);

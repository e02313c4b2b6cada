import { z } from 'zod';
import { sql, type Transaction } from '../db.ts';

const Facts = z.object({
  interest_rate: z.string(),
  term_months: z.int(),
  date_of_birth: z.string().nullable(),
  military_status: z.string().nullable(),
  borrower_is_archived: z.boolean(),
  state: z.string().nullable(),
  jurisdictions: z.array(z.string()),
  has_twin: z.boolean(),
});

/** What the compliance checks look at. */
export const ofLoan = (tx: Transaction, loanId: string) =>
  tx.one(sql.type(Facts)`
    select loan.interest_rate, loan.term_months, borrower.date_of_birth, borrower.military_status,
           borrower.is_archived as borrower_is_archived, address.state, program.jurisdictions,
           exists (
             select from loans as twin
             where twin.borrower_id = loan.borrower_id and twin.id <> loan.id
               and twin.status in ('pending', 'approved')
               and twin.principal_amount = loan.principal_amount
           ) as has_twin
    from loans as loan
    join borrowers as borrower on borrower.id = loan.borrower_id
    join programs as program on program.id = loan.program_id
    left join addresses as address
      on address.borrower_id = borrower.id and address.is_primary and not address.is_archived
      and address.address_type = 'mailing'
    where loan.id = ${loanId}
  `);

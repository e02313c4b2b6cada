import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { containsPattern, table } from '../table.ts';

/** Kinds of relief. Each is a record of the loan. */
export const RELIEFS = ['forbearance', 'deferment', 'modification', 'payment_plan'] as const;
export type Relief = (typeof RELIEFS)[number];

const TABLES = {
  forbearance: 'forbearances',
  deferment: 'deferments',
  modification: 'modifications',
  payment_plan: 'payment_plans',
} as const satisfies Record<Relief, string>;

const relief = sql.fragment`(
  ${sql.join(
    RELIEFS.map(
      (kind) => sql.fragment`
        select relief.status from ${sql.identifier([TABLES[kind]])} as relief
        where record.resulting_type = ${sql.literalValue(kind)} and relief.id = record.resulting_id
      `,
    ),
    sql.fragment` union all `,
  )}
)`;

/** An application is shown as completed when its relief has ended. That status is not stored. */
const status = sql.fragment`
  case
    when record.status = 'approved' and relief.status = 'completed' then 'completed'
    else record.status
  end
`;

const columns = sql.fragment`
  record.id, record.application_number, record.borrower_id, record.loan_id, record.case_id,
  record.hardship_type, record.description, record.monthly_income, record.monthly_expenses,
  record.monthly_income - record.monthly_expenses as monthly_surplus, record.requested_action,
  record.document_ids, ${status} as status, record.decision, record.decision_reason,
  record.decided_at, record.resulting_type, record.resulting_id, record.submitted_at,
  record.created_at, record.updated_at
`;

export const applications = table({
  name: 'hardship_applications',
  owner: 'loans',
  rows: sql.fragment`
    select ${columns}, borrower.first_name || ' ' || borrower.last_name as borrower_name,
           own.assigned_to, record.source, record.decided_by, relief.status as resulting_status,
           record.contacts_paused_until
    from hardship_applications as record
    join borrowers as borrower on borrower.id = record.borrower_id
    join support_cases as own on own.id = record.case_id
    left join lateral ${relief} as relief on true
  `,
  search: (words) => sql.fragment`
    row.application_number ilike ${containsPattern(words)} or row.borrower_name ilike ${containsPattern(words)}
  `,
});

/** The borrower's applications as the portal shows them. */
export const applicationsOfBorrower = (borrowerId: string) =>
  table({
    name: 'hardship_applications',
    rows: sql.fragment`
      select ${columns}
      from hardship_applications as record
      left join lateral ${relief} as relief on true
      where record.borrower_id = ${borrowerId}
    `,
  });

const OPEN = sql.fragment`('submitted', 'under_review', 'more_info_needed')`;

export const hasOpenApplication = (tx: Transaction, loanId: string) =>
  tx.exists(sql.typeAlias('void')`
    select from hardship_applications where loan_id = ${loanId} and status in ${OPEN}
  `);

export const hasOpenApplicationInCase = (tx: Transaction, caseId: string) =>
  tx.exists(sql.typeAlias('void')`
    select from hardship_applications where case_id = ${caseId} and status in ${OPEN}
  `);

/** The status of the relief, if it belongs to the loan. */
export const findReliefStatus = (tx: Transaction, kind: Relief, id: string, loanId: string) =>
  tx.maybeOneFirst(sql.type(z.object({ status: z.string() }))`
    select status from ${sql.identifier([TABLES[kind]])}
    where id = ${id} and loan_id = ${loanId} for no key update
  `);

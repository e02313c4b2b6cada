import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

/** Every version of the facts of cases. */
export const caseFacts = table({
  name: 'case_facts',
  rows: sql.fragment`
    select record.id, record.case_id, record.borrower_id, record.version, record.facts,
           record.reason, record.changed_by, record.created_at
    from case_facts as record
  `,
});

const Current = z.object({ version: z.int(), facts: z.record(z.string(), z.unknown()) });

/** The facts of a case that are in force; null if it has none. */
export const findCurrentFacts = (tx: Transaction, caseId: string) =>
  tx.maybeOne(
    prepared(sql.type(Current)`
      select version, facts from case_facts where case_id = ${caseId}
      order by version desc limit 1
    `),
  );

const Open = z.object({
  id: z.string(),
  case_number: z.string(),
  borrower_id: z.string(),
  loan_id: z.string().nullable(),
  facts: z.record(z.string(), z.unknown()),
});

/** A person's newest case of a type, with its facts. Includes joint petitions that another borrower's case describes. */
export const findNewestCase = (tx: Transaction, borrowerId: string, caseType: string) =>
  tx.maybeOne(sql.type(Open)`
    select record.id, record.case_number, record.borrower_id, record.loan_id, newest.facts
    from support_cases as record
    join lateral (
      select facts from case_facts where case_id = record.id order by version desc limit 1
    ) as newest on true
    where record.case_type = ${caseType} and not record.opened_in_error and record.loan_id is null
      and (record.borrower_id = ${borrowerId}
        or exists (
          select from legal_conditions as condition
          where condition.case_id = record.id and condition.borrower_id = ${borrowerId}
        ))
    order by record.created_at desc, record.id desc limit 1
  `);

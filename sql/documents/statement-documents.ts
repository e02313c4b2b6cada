import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

const Issued = z.object({ document_id: z.string(), loan_id: z.string() });

/** Sorts before all loan ids. */
export const BEFORE_FIRST_LOAN = '00000000-0000-0000-0000-000000000000';

/**
 * Orders documents for the next statements without one, by loan id, and returns both ids. The next call
 * continues after the last loan, because the index still contains dead entries of the statements before it.
 */
export const insertStatementDocuments = (
  tx: Transaction,
  month: string,
  after: string,
  limit: number,
) =>
  tx.any(sql.type(Issued)`
    with
      unissued as materialized (
        select statement.id, statement.loan_id, statement.figures ->> 'language' as language,
               statement.figures -> 'wording' as wording,
               uuidv7() as document_id
        from statements as statement
        where statement.statement_month = ${month} and statement.document_id is null
          and statement.loan_id > ${after}
        order by statement.loan_id limit ${limit}
        for update of statement skip locked
      ),
      made as (
        insert into documents (
          id, loan_id, borrower_id, document_type, filename, content_type, status, source,
          storage_key, language, template, metadata
        )
        select unissued.document_id, loan.id, loan.borrower_id, 'monthly_statement',
               name.filename, 'application/pdf', 'pending', 'generated',
               concat_ws('/', tenant.slug, loan.id, 'monthly_statement', name.filename),
               unissued.language, 'monthly_statement',
               case when jsonb_typeof(unissued.wording) = 'object' then jsonb_build_object(
                 'wording', unissued.wording - 'opening' - 'closing') else '{}' end
        from unissued
        join loans as loan on loan.id = unissued.loan_id
        join tenants as tenant on tenant.id = app.current_tenant()
        cross join (
          select 'statement-' || to_char(${month}::date, 'YYYY-MM') || '.pdf' as filename
        ) as name
        returning id, loan_id
      ),
      linked as (
        update statements as statement set document_id = unissued.document_id
        from unissued join made on made.id = unissued.document_id
        where statement.id = unissued.id
      )
    select id as document_id, loan_id from made order by loan_id
  `);

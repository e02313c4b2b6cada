import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

const Outcome = z.object({ outcome: z.enum(['reset', 'no_book', 'busy']) });

/** Returns the tenant, which must be a sandbox, to its saved book. Waits up to ten seconds for its running jobs. */
export const resetSandbox = (tx: Transaction) =>
  tx.oneFirst(sql.type(Outcome)`select app.reset_sandbox() as outcome`);

/** Saves the book that a reset returns to; needs the owner's role. */
export const saveSandboxBook = (owner: Pick<Transaction, 'query'>, tenantId: string) =>
  owner.query(sql.typeAlias('void')`select app.save_sandbox_book(${tenantId})`);

const Book = z.object({
  is_sandbox: z.boolean(),
  has_book: z.boolean(),
  saved_loans: z.int(),
  loans: z.int(),
});

/**
 * Whether the tenant is a sandbox and whether its book was saved, and how many loans of the seed's book it
 * saved and has now (each has its own borrower); needs the owner's role.
 */
export const findSandboxBook = (owner: Pick<Transaction, 'one'>, tenantId: string) =>
  owner.one(sql.type(Book)`
    select is_sandbox,
      exists (select from app.sandbox_books where tenant_id = tenants.id) as has_book,
      (
        select count(*)::integer from app.sandbox_rows as saved
        cross join lateral jsonb_array_elements(saved.rows) as person
        where saved.tenant_id = tenants.id and saved.table_name = 'borrowers'
          and person ->> 'external_id' like 'book-%'
      ) as saved_loans,
      (
        select count(*)::integer from borrowers
        where tenant_id = tenants.id and external_id like 'book-%'
      ) as loans
    from tenants where id = ${tenantId}
  `);

/** Deletes the waiting jobs that would print every statement of the tenant; needs the owner's role. */
export const dropStatementJobs = (owner: Pick<Transaction, 'query'>, tenantId: string) =>
  owner.query(sql.typeAlias('void')`
    delete from graphile_worker._private_jobs as job
    using graphile_worker._private_tasks as task
    where task.id = job.task_id and task.identifier = 'issue-statements'
      and job.payload ->> 'tenant_id' = ${tenantId} and job.locked_at is null
  `);

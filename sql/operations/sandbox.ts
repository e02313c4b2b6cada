import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

const Outcome = z.object({ outcome: z.enum(['reset', 'no_book', 'busy']) });

/** Returns the tenant, which must be a sandbox, to its saved book. Waits up to ten seconds for its running jobs. */
export const resetSandbox = (tx: Transaction) =>
  tx.oneFirst(sql.type(Outcome)`select app.reset_sandbox() as outcome`);

/** Saves the book that a reset returns to; needs the owner's role. */
export const saveSandboxBook = (owner: Pick<Transaction, 'query'>, tenantId: string) =>
  owner.query(sql.typeAlias('void')`select app.save_sandbox_book(${tenantId})`);

const Book = z.object({ is_sandbox: z.boolean(), has_book: z.boolean() });

/** Whether the tenant is a sandbox, and whether its book was saved; needs the owner's role. */
export const findSandboxBook = (owner: Pick<Transaction, 'one'>, tenantId: string) =>
  owner.one(sql.type(Book)`
    select is_sandbox, exists (select from app.sandbox_books where tenant_id = tenants.id) as has_book
    from tenants where id = ${tenantId}
  `);

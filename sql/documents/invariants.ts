import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import type { Violation } from '../invariant-check.ts';

/** Size and hash of the object under a key; null if there is none. */
export type DescribeFile = (key: string) => Promise<{ size: number; sha256_hash: string } | null>;

const Stored = z.object({
  id: z.string(),
  tenant_id: z.string(),
  filename: z.string(),
  storage_key: z.string(),
  sha256_hash: z.string().nullable(),
});

/** Postgres ends a transaction that waits too long between two statements, so few files are read in between. */
const PAGE_SIZE = 100;

/** Uploaded and generated documents must have an object with the recorded hash. */
export async function documentViolations(
  tx: Transaction,
  describeFile: DescribeFile,
): Promise<Violation[]> {
  const violations: Violation[] = [];
  let page = await documentsAfter(tx, { tenant_id: NIL, id: NIL });
  while (page.length > 0) {
    for (const document of page) {
      const problem = await findProblem(document, describeFile);
      if (problem !== null) violations.push(problem);
    }
    const last = page.at(-1);
    page = last ? await documentsAfter(tx, last) : [];
  }
  return violations;
}

const NIL = '00000000-0000-0000-0000-000000000000';

/** The next documents of all tenants that have a file. */
const documentsAfter = (tx: Transaction, last: { tenant_id: string; id: string }) =>
  tx.any(sql.type(Stored)`
    select id, tenant_id, filename, storage_key, sha256_hash from documents
    where status in ('held', 'uploaded', 'verified', 'rejected')
      and (tenant_id, id) > (${last.tenant_id}::uuid, ${last.id}::uuid)
    order by tenant_id, id limit ${PAGE_SIZE}
  `);

async function findProblem(
  { id, tenant_id, filename, storage_key, sha256_hash }: z.output<typeof Stored>,
  describeFile: DescribeFile,
): Promise<Violation | null> {
  const stored = await describeFile(storage_key);
  if (stored !== null && stored.sha256_hash === sha256_hash) return null;
  const what = stored === null ? 'has no object' : 'has an object of another hash';
  return {
    rule: 'documents have their object',
    tenant_id,
    subject: id,
    message: `Document ${id} (${filename}) ${what} at ${storage_key}.`,
  };
}

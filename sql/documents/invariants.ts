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

/** Uploaded and generated documents must have an object with the recorded hash. */
export async function documentViolations(
  tx: Transaction,
  describeFile: DescribeFile,
): Promise<Violation[]> {
  const documents = await tx.any(sql.type(Stored)`
    select id, tenant_id, filename, storage_key, sha256_hash from documents
    where status in ('held', 'uploaded', 'verified', 'rejected')
    order by id
  `);
  const violations: Violation[] = [];
  for (const { id, tenant_id, filename, storage_key, sha256_hash } of documents) {
    const stored = await describeFile(storage_key);
    if (stored !== null && stored.sha256_hash === sha256_hash) continue;
    const what = stored === null ? 'has no object' : 'has an object of another hash';
    violations.push({
      rule: 'documents have their object',
      tenant_id,
      subject: id,
      message: `Document ${id} (${filename}) ${what} at ${storage_key}.`,
    });
  }
  return violations;
}

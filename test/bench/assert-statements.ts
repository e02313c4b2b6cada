import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { BenchWorld } from './world.ts';

type StoredStatement = { storage_key: string; sha256_hash: string };

/**
 * Throws unless each statement exists once, has a complete file and was emitted once, although workers were
 * killed.
 */
export async function assertStatementsComplete(
  { admin, folder }: BenchWorld,
  count: number,
): Promise<void> {
  const numberOf = async (query: string) =>
    Number(Object.values((await admin.query<Record<string, string>>(query)).rows[0] ?? {})[0]);
  const { rows } = await admin.query<StoredStatement>(
    `select storage_key, sha256_hash from documents where status = 'uploaded'`,
  );
  const whole = rows.filter(({ storage_key, sha256_hash }) => {
    const bytes = readFileSync(path.join(folder, 'files', storage_key));
    return createHash('sha256').update(bytes).digest('hex') === sha256_hash;
  });
  const told = `from events where event_type = 'document.generated'`;
  const sent = 'from communication_logs where document_id is not null';
  const figures = {
    'statements without a document': await numberOf(
      'select count(*) from statements where document_id is null',
    ),
    'documents missing': count - new Set(rows.map(({ storage_key }) => storage_key)).size,
    'documents twice': rows.length - new Set(rows.map(({ storage_key }) => storage_key)).size,
    'files that are not what was stored': rows.length - whole.length,
    'documents told of twice': await numberOf(
      `select count(*) - count(distinct body::json #>> '{data,document_id}') ${told}`,
    ),
    'documents told to nobody': count - (await numberOf(`select count(*) ${told}`)),
    'documents sent twice': await numberOf(`select count(*) - count(distinct document_id) ${sent}`),
    'documents not sent': count - (await numberOf(`select count(*) ${sent}`)),
    'jobs failed': await numberOf('select count(*) from app.failed_jobs'),
  };
  const wrong = Object.entries(figures).filter(([, found]) => found !== 0);
  if (wrong.length === 0) return;
  throw new Error(`Of ${count}: ${wrong.map(([what, found]) => `${what} ${found}`).join(', ')}.`);
}

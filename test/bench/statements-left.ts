import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openPool } from '../../sql/database/db.ts';
import { checkInvariants } from '../../sql/invariants/invariants.ts';
import type { ManyLoans } from './many-loans.ts';

type Found = { storage_key: string; sha256_hash: string };

/** What the killed workers left: each statement once, as a whole file, told once; as sentences. */
export async function leftOf({ url, admin, folder }: ManyLoans, count: number): Promise<string[]> {
  const one = async (query: string) =>
    Number(Object.values((await admin.query<Record<string, string>>(query)).rows[0] ?? {})[0]);
  const { rows } = await admin.query<Found>(
    `select storage_key, sha256_hash from documents where status = 'uploaded'`,
  );
  const whole = rows.filter(({ storage_key, sha256_hash }) => {
    const bytes = readFileSync(path.join(folder, 'files', storage_key));
    return createHash('sha256').update(bytes).digest('hex') === sha256_hash;
  });
  const told = `from events where event_type = 'document.generated'`;
  const sent = 'from communication_logs where document_id is not null';
  const figures = {
    'statements without a document': await one(
      'select count(*) from statements where document_id is null',
    ),
    'documents missing': count - new Set(rows.map(({ storage_key }) => storage_key)).size,
    'documents twice': rows.length - new Set(rows.map(({ storage_key }) => storage_key)).size,
    'files that are not what was stored': rows.length - whole.length,
    'documents told of twice': await one(
      `select count(*) - count(distinct body::json #>> '{data,document_id}') ${told}`,
    ),
    'documents told to nobody': count - (await one(`select count(*) ${told}`)),
    'documents sent twice': await one(`select count(*) - count(distinct document_id) ${sent}`),
    'documents not sent': count - (await one(`select count(*) ${sent}`)),
    'jobs failed': await one('select count(*) from app.failed_jobs'),
    violations: await violationsOf(url),
  };
  return Object.entries(figures).map(([what, found]) => `${what.padEnd(44)}${found}`);
}

async function violationsOf(url: string): Promise<number> {
  const auditor = await openPool(url, { role: 'servicing_auditor', size: 1 });
  try {
    const found = await checkInvariants(auditor);
    for (const { rule, message } of found.slice(0, 5)) console.log(`${rule}: ${message}`);
    return found.length;
  } finally {
    await auditor.end();
  }
}

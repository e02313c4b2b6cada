import { z } from 'zod';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Count = z.int().min(0);

/** The last entry of an export. It lists the other entries with their hashes. */
export const Manifest = z.strictObject({
  format: z.literal('tenant-export-1'),
  /** The newest migration of the database that was exported. */
  schema: z.string(),
  tenant: z.strictObject({
    id: z.uuid(),
    slug: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/),
    domains: z.array(z.string()),
  }),
  /** The tables in writing order, each with the hash of all its lines. */
  tables: z.array(z.strictObject({ name: z.string(), rows: Count, sha256: Sha256 })),
  accrual_months: z.array(z.iso.date()),
  jobs: Count,
  files: z.array(z.strictObject({ key: z.string(), entry: z.string() })),
  keys: z.array(z.strictObject({ id: z.string(), check_value: z.string().nullable() })),
  entries: z.array(z.strictObject({ name: z.string(), bytes: Count, sha256: Sha256 })),
});
export type Manifest = z.output<typeof Manifest>;

export const MANIFEST_ENTRY = 'manifest.json';
/** A manifest with a million entries is smaller. */
export const MANIFEST_BYTES_MAX = 256 * 1024 * 1024;

export const rowsEntryName = (table: string, batch: number) => `rows/${table}/${batch}.jsonl`;
export const jobsEntryName = (batch: number) => `jobs/${batch}.jsonl`;
export const fileEntryName = (place: number) => `files/${place}`;

/** Reports progress. */
export type ReportProgress = (sentence: string) => void;

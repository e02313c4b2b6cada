import { unsealFile } from '../../jobs/files/sealed-files.ts';
import type { Stage, Tenant } from './world.ts';

/** The decrypted content of a file for a bank or bureau. Empty if the file does not exist. */
export async function readSealedFile(
  { installation, owner }: Pick<Stage, 'installation' | 'owner'>,
  { slug }: Pick<Tenant, 'slug'>,
  table: 'credit_reporting_files' | 'nacha_files',
  filename: string,
): Promise<string> {
  const { rows } = await owner.query<{ tenant_id: string; key: string; sealed: string }>(
    `select file.tenant_id, file.storage_key as key, file.file_key_sealed as sealed
     from ${table} as file join tenants as tenant on tenant.id = file.tenant_id
     where tenant.slug = $1 and file.filename = $2`,
    [slug, filename],
  );
  const [file] = rows;
  if (file === undefined) return '';
  const stored = await installation.files.stream(file.key);
  if (stored === null) return '';
  const fileKey = installation.keys.unseal(file.tenant_id, file.sealed);
  const content = await Array.fromAsync(unsealFile(fileKey, stored));
  return Buffer.concat(content).toString('latin1');
}

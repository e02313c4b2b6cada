import type { Client } from './client.ts';
import type { Stage, Tenant } from './world.ts';

/** The text of a stored document. */
export async function readDocument(stage: Stage, tenant: Tenant, documentId: string) {
  const found = await stage.owner.query(
    'select storage_key from documents where tenant_id = $1 and id = $2',
    [tenant.id, documentId],
  );
  const bytes = await stage.installation.files.get(found.rows[0].storage_key);
  return Buffer.from(bytes ?? []).toString();
}

/** A tape configuration, and a function that creates its file. */
export async function newTapeConfig(
  stage: Stage,
  tenant: Tenant,
  admin: Client,
  config: Record<string, unknown>,
) {
  const { id } = (await admin.post('/loan-tape-configs', { name: 'T', ...config })).body;
  const generate = (body: object = {}) => admin.post(`/loan-tape-configs/${id}/generate`, body);
  const file = async (as_of_date: string, format: 'csv' | 'json' = 'csv') => {
    const made = await generate({ as_of_date, format });
    if (made.status !== 200) throw new Error(JSON.stringify(made.body));
    return readDocument(stage, tenant, made.body.document_id);
  };
  const rows = async (as_of_date: string) =>
    JSON.parse(await file(as_of_date, 'json')) as Record<string, unknown>[];
  return { generate, file, rows };
}

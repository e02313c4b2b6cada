import { unzipSync } from 'fflate';
import type { Stage, Tenant } from './world.ts';

const DAY_ZERO = Date.UTC(1899, 11, 30);

/** The cells of an xlsx tape as text. Dates are in ISO format. */
export async function readSheetRows(stage: Stage, tenant: Tenant, documentId: string) {
  const found = await stage.owner.query(
    'select storage_key from documents where tenant_id = $1 and id = $2',
    [tenant.id, documentId],
  );
  const bytes = await stage.installation.files.get(found.rows[0].storage_key);
  const files = unzipSync(bytes ?? new Uint8Array());
  const sheet = Buffer.from(files['xl/worksheets/sheet1.xml'] ?? []).toString();
  return (sheet.match(/<row .*?<\/row>/gs) ?? []).map((row) =>
    [...row.matchAll(/<c([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)].map(([, attributes = '', cell = '']) => {
      const value = cell.replaceAll(/<[^>]*>/g, '');
      if (!attributes.includes('s="3"')) return value;
      return new Date(DAY_ZERO + Number(value) * 86_400_000).toISOString().slice(0, 10);
    }),
  );
}

import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

export type ImportedRecord = { file: string; key: string; record_id: string };

export const addImportedRecords = (
  tx: Transaction,
  importId: string,
  records: readonly ImportedRecord[],
) =>
  tx.query(sql.typeAlias('void')`
    insert into import_records (import_id, file, key, record_id)
    select ${importId}, record.file, record.key, record.id
    from ${sql.unnest(
      records.map(({ file, key, record_id }) => [file, key, record_id]),
      ['text', 'text', 'uuid'],
    )} as record (file, key, id)
  `);

const Found = z.object({ key: z.string(), record_id: z.string() });

/** The records that this import created, or found, for these keys of a file. */
export const findImportedRecords = async (
  tx: Transaction,
  importId: string,
  file: string,
  keys: readonly string[],
): Promise<Map<string, string>> => {
  const found = await tx.any(sql.type(Found)`
    select key, record_id from import_records
    where import_id = ${importId} and file = ${file} and key = any(${sql.array([...keys], 'text')})
  `);
  return new Map(found.map(({ key, record_id }) => [key, record_id]));
};

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { extractText } from 'unpdf';

/** A searched place and its content. */
export type SearchedPlace = { name: string; text: string };

/** Every column of every table, including the job queue. Binary columns are in Postgres's text form. */
export async function readAllColumns(owner: pg.Client): Promise<SearchedPlace[]> {
  const { rows } = await owner.query<{ relation: string; column: string }>(
    `select a.attrelid::regclass::text as relation, quote_ident(a.attname) as column
     from pg_attribute as a
     join pg_class as c on c.oid = a.attrelid
     join pg_namespace as n on n.oid = c.relnamespace
     where c.relkind in ('r', 'm') and a.attnum > 0 and not a.attisdropped
       and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
     order by 1, 2`,
  );
  const places: SearchedPlace[] = [];
  for (const { relation, column } of rows) {
    const found = await owner.query<{ text: string | null }>(
      `select string_agg(${column}::text, E'\\n') as text from ${relation}`,
    );
    places.push({ name: `${relation}.${column}`, text: found.rows[0]?.text ?? '' });
  }
  return places;
}

/** Every file below the folder as bytes; of a PDF also the visible text. */
export async function readAllFiles(folder: string): Promise<SearchedPlace[]> {
  const places: SearchedPlace[] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const bytes = readFileSync(file);
    const name = path.relative(folder, file);
    places.push({ name, text: bytes.toString('latin1') });
    if (!bytes.subarray(0, 5).equals(Buffer.from('%PDF-'))) continue;
    const { text } = await extractText(new Uint8Array(bytes), { mergePages: true });
    places.push({ name: `${name} as it is read`, text });
  }
  return places;
}

/** The encodings in which a secret may appear. */
const encodingsOf = (secret: string) => [
  secret,
  secret.replaceAll('-', ''),
  encodeURIComponent(secret),
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
];

/** Names of the secrets found and of the places that hold them, without duplicates. */
export function findSecrets(
  secrets: ReadonlyMap<string, string>,
  places: readonly SearchedPlace[],
): string[] {
  const found = [...secrets].flatMap(([kind, secret]) =>
    places
      .filter(({ text }) =>
        encodingsOf(secret).some((word) => text.toLowerCase().includes(word.toLowerCase())),
      )
      .map(({ name }) => `${kind} in ${name}`),
  );
  return [...new Set(found)].toSorted();
}

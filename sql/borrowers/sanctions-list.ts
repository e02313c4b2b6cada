import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';

/** The imported sanctions list, which all tenants share. */

const Version = z.object({
  id: z.string(),
  published_on: z.string(),
  sha256: z.string(),
  entries: z.int(),
  names: z.int(),
  imported_at: z.string(),
});
export type ListVersion = z.output<typeof Version>;

/** The newest version is the list that is screened against. */
export const findCurrentList = (tx: Pick<Transaction, 'maybeOne'>) =>
  tx.maybeOne(
    prepared(sql.type(Version)`
      select id, published_on, sha256, entries, names, imported_at
      from app.sanctions_lists order by id desc limit 1
    `),
  );

/** Newest first. */
export const listVersions = (tx: Pick<Transaction, 'any'>) =>
  tx.any(sql.type(Version)`
    select id, published_on, sha256, entries, names, imported_at
    from app.sanctions_lists order by id desc limit 20
  `);

type NewList = Pick<ListVersion, 'published_on' | 'sha256'> & {
  entries: readonly object[];
  names: readonly object[];
};

/** Rows per statement: the parameter of a statement is limited to 1 GB, and memory is not free. */
const ROWS_MAX = 5_000;

/**
 * Replaces the list. A name is new if the entry did not have it, or if the type or the birth dates of the
 * entry changed, because these decide about a match. Returns the number of new names.
 */
export async function replaceList(tx: Transaction, list: NewList): Promise<number> {
  await tx.query(sql.typeAlias('void')`
    create temporary table incoming_entries (like app.sanctions_entries) on commit drop
  `);
  await tx.query(sql.typeAlias('void')`
    create temporary table incoming_names (
      entry_number integer, subject_type text, name text, words text
    ) on commit drop
  `);
  for (const rows of inParts(list.entries)) {
    await tx.query(sql.typeAlias('void')`
      insert into incoming_entries
      select * from jsonb_populate_recordset(null::app.sanctions_entries, ${JSON.stringify(rows)}::jsonb)
    `);
  }
  for (const rows of inParts(list.names)) {
    await tx.query(sql.typeAlias('void')`
      insert into incoming_names
      select distinct entry_number, subject_type, name, words
      from jsonb_populate_recordset(null::incoming_names, ${JSON.stringify(rows)}::jsonb)
    `);
  }
  const { id } = await tx.one(sql.typeAlias('id')`
    insert into app.sanctions_lists (published_on, sha256, entries, names)
    select ${list.published_on}, ${list.sha256}, (select count(*) from incoming_entries),
           (select count(*) from incoming_names)
    returning id
  `);
  await tx.query(sql.typeAlias('void')`
    delete from app.sanctions_names as name using app.sanctions_entries as entry
    where entry.entry_number = name.entry_number and not exists (
      select from incoming_names as incoming
      join incoming_entries as fresh on fresh.entry_number = incoming.entry_number
      where incoming.entry_number = name.entry_number and incoming.name = name.name
        and incoming.words = name.words and fresh.subject_type = entry.subject_type
        and fresh.birth_dates = entry.birth_dates
    )
  `);
  await tx.query(sql.typeAlias('void')`
    delete from app.sanctions_entries as entry
    where not exists (select from incoming_entries where entry_number = entry.entry_number)
  `);
  await tx.query(sql.typeAlias('void')`
    insert into app.sanctions_entries select * from incoming_entries
    on conflict (entry_number) do update
    set subject_type = excluded.subject_type, name = excluded.name, programs = excluded.programs,
        title = excluded.title, remarks = excluded.remarks, birth_dates = excluded.birth_dates,
        addresses = excluded.addresses
  `);
  const added = await tx.query(sql.typeAlias('void')`
    insert into app.sanctions_names (entry_number, subject_type, name, words, first_list_id)
    select entry_number, subject_type, name, words, ${id} from incoming_names
    on conflict do nothing
  `);
  await tx.query(sql.typeAlias('void')`analyze app.sanctions_names`);
  return added.rowCount;
}

function* inParts(rows: readonly object[]) {
  for (let at = 0; at < rows.length; at += ROWS_MAX) yield rows.slice(at, at + ROWS_MAX);
}

const Candidate = z.object({
  subject: z.int(),
  entry_number: z.int(),
  name: z.string(),
  birth_dates: z.array(z.object({ from: z.string(), to: z.string() })),
});
export type Candidate = z.output<typeof Candidate>;

/** A name that is searched for. `subject` is its place in the caller's list. */
export type SearchedName = { subject: number; subject_type: string; words: string };

/** With more new names than this, the index finds similar ones faster than comparing each. */
const NEW_NAMES_MAX = 2_000;

/**
 * The listed names that resemble the searched ones, in any order of words (pg_trgm). With `since`, only names
 * that are newer than that version.
 */
export async function findCandidates(
  tx: Transaction,
  searched: readonly SearchedName[],
  since: string | null,
): Promise<readonly Candidate[]> {
  if (searched.length === 0) return [];
  const given = sql.fragment`${JSON.stringify(searched)}::jsonb`;
  const isShort = since !== null && (await countNewNames(tx, since)) <= NEW_NAMES_MAX;
  const found = isShort
    ? sql.fragment`app.find_similar_new_names(${given}, ${since})`
    : sql.fragment`app.find_similar_listed_names(${given})`;
  const isNewer =
    since === null || isShort ? sql.fragment`true` : sql.fragment`listed.first_list_id > ${since}`;
  return tx.any(sql.type(Candidate)`
    select distinct listed.subject, listed.entry_number, listed.name, entry.birth_dates
    from ${found} as listed
    join app.sanctions_entries as entry on entry.entry_number = listed.entry_number
    where ${isNewer}
  `);
}

const Counted = z.object({ names: z.int() });

/** Counts to one more than the maximum. */
const countNewNames = (tx: Transaction, since: string) =>
  tx.oneFirst(sql.type(Counted)`
    select count(*)::integer as names from (
      select from app.sanctions_names where first_list_id > ${since} limit ${NEW_NAMES_MAX + 1}
    ) as newer
  `);

const Entry = z.object({ entry_number: z.int(), entry: z.record(z.string(), z.unknown()) });

/** The entries as they were published, for the record of a possible match. */
export const readEntries = (tx: Transaction, numbers: readonly number[]) =>
  tx.any(sql.type(Entry)`
    select entry_number, to_jsonb(entry) - 'entry_number' as entry
    from app.sanctions_entries as entry where entry_number = any(${sql.array([...numbers], 'int4')})
  `);

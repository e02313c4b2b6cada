import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

const Logo = z.object({
  url: z.string(),
  status: z.enum(['pending', 'ready', 'failed']),
  problem: z.string().nullable(),
  content_type: z.string().nullable(),
  width: z.int().nullable(),
  height: z.int().nullable(),
  sha256_hash: z.string().nullable(),
  created_at: z.string(),
});

/** What came of asking for the logo the last time, or null where nobody has asked. */
export const latest = (tx: Transaction, url: string) =>
  tx.maybeOne(sql.type(Logo)`
    select url, status, problem, content_type, width, height, sha256_hash, created_at
    from logos where url = ${url} order by id desc limit 1
  `);

/** How often one was asked for within a day, of whatever place. */
export const askedToday = (tx: Transaction) =>
  tx.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*)::integer as count from logos where created_at > now() - interval '1 day'
  `);

/** The logo that a letter of now is printed with: the newest that came well from there. */
export const readyOf = (tx: Transaction, url: string) =>
  tx.maybeOneFirst(sql.typeAlias('id')`
    select id from logos where url = ${url} and status = 'ready' order by id desc limit 1
  `);

export type Picture = {
  content_type: string;
  width: number | null;
  height: number | null;
  sha256_hash: string;
  /** In base64. */
  image: string;
};

/** Keeps what was fetched, once; a repeat changes nothing. */
export const keep = (
  tx: Transaction,
  id: string,
  { content_type, width, height, sha256_hash, image }: Picture,
) =>
  tx.query(sql.typeAlias('void')`
    update logos
    set status = 'ready', content_type = ${content_type}, width = ${width}, height = ${height},
        sha256_hash = ${sha256_hash}, image = ${image}
    where id = ${id} and status = 'pending'
  `);

/** Says why there is none; one that is here stays. */
export const refuse = (tx: Transaction, id: string, problem: string) =>
  tx.query(sql.typeAlias('void')`
    update logos set status = 'failed', problem = ${problem} where id = ${id} and status = 'pending'
  `);

/** Where the picture that was asked for lies, while it is not here. */
export const pendingUrl = (tx: Transaction, id: string) =>
  tx.maybeOneFirst(sql.type(z.object({ url: z.string() }))`
    select url from logos where id = ${id} and status = 'pending'
  `);

/** The picture as a data: URI, as a browser shows it that may load nothing. */
export const dataUri = (tx: Transaction, id: string) =>
  tx.maybeOneFirst(sql.type(z.object({ uri: z.string() }))`
    select format('data:%s;base64,%s', content_type, image) as uri
    from logos where id = ${id} and status = 'ready'
  `);

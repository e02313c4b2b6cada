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
export const findLatest = (tx: Transaction, url: string) =>
  tx.maybeOne(sql.type(Logo)`
    select url, status, problem, content_type, width, height, sha256_hash, created_at
    from logos where url = ${url} order by id desc limit 1
  `);

/** How often one was asked for within a day, of whatever place. */
export const countRequestsToday = (tx: Transaction) =>
  tx.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*)::integer as count from logos where created_at > now() - interval '1 day'
  `);

/** The logo that a letter of now is printed with: the newest that came well from there. */
export const findReady = (tx: Transaction, url: string) =>
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

/** Holds what was fetched until it was tried; a repeat changes nothing. */
export const savePending = (
  tx: Transaction,
  id: string,
  { content_type, width, height, sha256_hash, image }: Picture,
) =>
  tx.query(sql.typeAlias('void')`
    update logos
    set content_type = ${content_type}, width = ${width}, height = ${height},
        sha256_hash = ${sha256_hash}, image = ${image}
    where id = ${id} and status = 'pending'
  `);

/** Lets letters have what was tried. */
export const markReady = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update logos set status = 'ready' where id = ${id} and status = 'pending' and image is not null
  `);

/** Forgets what came to nothing there: what letters have is the picture that lies there. */
export const deleteRefused = (tx: Transaction, url: string) =>
  tx.query(sql.typeAlias('void')`delete from logos where url = ${url} and status <> 'ready'`);

/** Says why there is none; one that is here stays. */
export const markRefused = (tx: Transaction, id: string, problem: string) =>
  tx.query(sql.typeAlias('void')`
    update logos
    set status = 'failed', problem = ${problem}, image = null, content_type = null,
        width = null, height = null, sha256_hash = null
    where id = ${id} and status = 'pending'
  `);

/** Where the picture that was asked for lies, while it is not here. */
export const findPendingUrl = (tx: Transaction, id: string) =>
  tx.maybeOneFirst(sql.type(z.object({ url: z.string() }))`
    select url from logos where id = ${id} and status = 'pending' and image is null
  `);

/** Whether the newest that came well from there is this very picture. */
export const isReady = (tx: Transaction, url: string, sha256_hash: string) =>
  tx.exists(sql.typeAlias('void')`
    select from logos as logo
    where url = ${url} and status = 'ready' and sha256_hash = ${sha256_hash} and not exists (
      select from logos where url = ${url} and status = 'ready' and id > logo.id
    )
  `);

/** The picture as a data: URI, as a browser shows it that may load nothing. */
export const dataUri = (tx: Transaction, id: string, status: 'pending' | 'ready' = 'ready') =>
  tx.maybeOneFirst(sql.type(z.object({ uri: z.string() }))`
    select format('data:%s;base64,%s', content_type, image) as uri
    from logos where id = ${id} and status = ${status} and image is not null
  `);

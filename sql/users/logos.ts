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

/** The latest request for the logo at this URL; null if there was none. */
export const findLatest = (tx: Transaction, url: string) =>
  tx.maybeOne(sql.type(Logo)`
    select url, status, problem, content_type, width, height, sha256_hash, created_at
    from logos where url = ${url} order by id desc limit 1
  `);

/** The number of logos requested within a day, for all URLs. */
export const countRequestsToday = (tx: Transaction) =>
  tx.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*)::integer as count from logos where created_at > now() - interval '1 day'
  `);

/** The logo for new letters: the newest ready one of this URL. */
export const findReady = (tx: Transaction, url: string) =>
  tx.maybeOneFirst(sql.typeAlias('id')`
    select id from logos where url = ${url} and status = 'ready' order by id desc limit 1
  `);

export type Picture = {
  content_type: string;
  width: number | null;
  height: number | null;
  sha256_hash: string;
  image: string;
};

/** Stores the fetched image until it has been tested. A repeat changes nothing. */
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

export const markReady = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update logos set status = 'ready' where id = ${id} and status = 'pending' and image is not null
  `);

/** Deletes failed requests for the URL, because its image equals the one that letters already use. */
export const deleteRefused = (tx: Transaction, url: string) =>
  tx.query(sql.typeAlias('void')`delete from logos where url = ${url} and status <> 'ready'`);

/** Records why the logo failed. A ready logo is kept. */
export const markRefused = (tx: Transaction, id: string, problem: string) =>
  tx.query(sql.typeAlias('void')`
    update logos
    set status = 'failed', problem = ${problem}, image = null, content_type = null,
        width = null, height = null, sha256_hash = null
    where id = ${id} and status = 'pending'
  `);

export const findPendingUrl = (tx: Transaction, id: string) =>
  tx.maybeOneFirst(sql.type(z.object({ url: z.string() }))`
    select url from logos where id = ${id} and status = 'pending' and image is null
  `);

/** Whether the newest ready logo of the URL is this image. */
export const isReady = (tx: Transaction, url: string, sha256_hash: string) =>
  tx.exists(sql.typeAlias('void')`
    select from logos as logo
    where url = ${url} and status = 'ready' and sha256_hash = ${sha256_hash} and not exists (
      select from logos where url = ${url} and status = 'ready' and id > logo.id
    )
  `);

/** The image as a data: URI, for a browser that may not load anything. */
export const dataUri = (tx: Transaction, id: string, status: 'pending' | 'ready' = 'ready') =>
  tx.maybeOneFirst(sql.type(z.object({ uri: z.string() }))`
    select format('data:%s;base64,%s', content_type, image) as uri
    from logos where id = ${id} and status = ${status} and image is not null
  `);

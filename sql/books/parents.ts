import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

const Coded = z.object({ id: z.string(), code: z.string() });

const byCode = (rows: readonly z.output<typeof Coded>[]) =>
  new Map(rows.map(({ id, code }) => [code, id]));

export const listProgramIds = async (tx: Transaction) =>
  byCode(await tx.any(sql.type(Coded)`select id, code from programs`));

export const listProductIds = async (tx: Transaction) =>
  byCode(await tx.any(sql.type(Coded)`select id, code from products`));

export const listAccountIds = async (tx: Transaction) =>
  byCode(await tx.any(sql.type(Coded)`select id, code from ledger_accounts where not is_header`));

export const setDefaultProduct = (tx: Transaction, programId: string, productId: string) =>
  tx.query(sql.typeAlias('void')`
    update programs set default_product_id = ${productId} where id = ${programId}
  `);

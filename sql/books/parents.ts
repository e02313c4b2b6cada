import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

const Coded = z.object({ id: z.string(), code: z.string() });

const byCode = (rows: readonly z.output<typeof Coded>[]) =>
  new Map(rows.map(({ id, code }) => [code, id]));

export const listProgramIds = async (tx: Transaction) =>
  byCode(await tx.any(sql.type(Coded)`select id, code from programs`));

export const listProductIds = async (tx: Transaction) =>
  byCode(await tx.any(sql.type(Coded)`select id, code from products`));

const Account = Coded.extend({ role: z.string().nullable(), account_type: z.string() });
export type Account = z.output<typeof Account>;

/** The accounts to which entries can be posted. */
export const listAccounts = (tx: Transaction) =>
  tx.any(sql.type(Account)`
    select id, code, role, account_type from ledger_accounts where not is_header order by code
  `);

/** The codes of the accounts that only group others. */
export const listHeaderCodes = async (tx: Transaction): Promise<ReadonlySet<string>> =>
  new Set(
    await tx.anyFirst(
      sql.type(z.object({ code: z.string() }))`select code from ledger_accounts where is_header`,
    ),
  );

export const listAccountIds = async (tx: Transaction) => byCode(await listAccounts(tx));

export const setDefaultProduct = (tx: Transaction, programId: string, productId: string) =>
  tx.query(sql.typeAlias('void')`
    update programs set default_product_id = ${productId} where id = ${programId}
  `);

const KEYS = {
  borrowers: sql.fragment`select external_id from borrowers where external_id = any`,
  programs: sql.fragment`select code from programs where code = any`,
  products: sql.fragment`select code from products where code = any`,
};

/** Of these keys, those that records of the tenant have: external ids of borrowers, or codes. */
export async function findKnownKeys(
  tx: Transaction,
  records: keyof typeof KEYS,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const known = await tx.anyFirst(
    sql.type(z.object({ key: z.string() }))`
      select known.key from (${KEYS[records]} (${sql.array([...keys], 'text')})) as known (key)
    `,
  );
  return new Set(known);
}

const Investor = z.object({
  id: z.string(),
  name: z.string(),
  external_id: z.string().nullable(),
});

/** The ids of the investors, by name and by external id. One investor's name may be another one's external id. */
export const listInvestorIds = async (tx: Transaction) => {
  const rows = await tx.any(sql.type(Investor)`select id, name, external_id from investors`);
  return {
    byName: new Map(rows.map(({ id, name }) => [name, id])),
    byExternalId: new Map(rows.map(({ id, external_id }) => [external_id, id])),
  };
};

export const listPortfolioNames = async (tx: Transaction): Promise<Set<string>> =>
  new Set(await tx.anyFirst(sql.type(z.object({ name: z.string() }))`select name from portfolios`));

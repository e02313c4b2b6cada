import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { PROVIDER_CHANNELS } from './channels.ts';

const Provider = z.object({
  channel: z.enum(PROVIDER_CHANNELS),
  name: z.string(),
  account_id: z.string().nullable(),
  secret_sealed: z.string(),
  previous_secret_sealed: z.string().nullable(),
});

export const listProviders = (tx: Transaction) =>
  tx.any(sql.type(Provider)`
    select channel, name, account_id, secret_sealed, previous_secret_sealed
    from communication_providers
  `);

type NewProvider = {
  channel: string;
  name: string;
  account_id: string | null;
  secret_sealed: string;
};

export const saveProvider = (
  tx: Transaction,
  { channel, name, account_id, secret_sealed }: NewProvider,
) =>
  tx.query(sql.typeAlias('void')`
    insert into communication_providers as provider (channel, name, account_id, secret_sealed)
    values (${channel}, ${name}, ${account_id}, ${secret_sealed})
    on conflict (tenant_id, channel) do update
    set name = excluded.name, account_id = excluded.account_id,
        previous_secret_sealed = provider.secret_sealed, secret_sealed = excluded.secret_sealed
  `);

const Named = z.object({ name: z.string(), account_id: z.string().nullable() });

export const findProvider = (tx: Transaction, channel: string) =>
  tx.maybeOne(sql.type(Named)`
    select name, account_id from communication_providers where channel = ${channel}
  `);

/** The URL that confirms the callback subscription; null once confirmed. */
export const findSubscribeUrl = (tx: Transaction, channel: string) =>
  tx.maybeOneFirst(sql.type(z.object({ subscribe_url: z.string().nullable() }))`
    select subscribe_url from communication_providers where channel = ${channel}
  `);

export const saveSubscribeUrl = (tx: Transaction, channel: string, url: string) =>
  tx.query(sql.typeAlias('void')`
    update communication_providers set subscribe_url = ${url} where channel = ${channel}
  `);

export const clearSubscribeUrl = (tx: Transaction, channel: string, url: string) =>
  tx.query(sql.typeAlias('void')`
    update communication_providers set subscribe_url = null
    where channel = ${channel} and subscribe_url = ${url}
  `);

export const findCertificate = (tx: Transaction, url: string) =>
  tx.maybeOneFirst(sql.type(z.object({ pem: z.string() }))`
    select pem from provider_certificates where url = ${url}
  `);

export const saveCertificate = (tx: Transaction, url: string, pem: string) =>
  tx.query(sql.typeAlias('void')`
    insert into provider_certificates (url, pem) values (${url}, ${pem}) on conflict do nothing
  `);

/**
 * Marks a callback token as used. Returns false if it was used before. Tokens older than the maximum age
 * are deleted.
 */
export const useProviderToken = async (tx: Transaction, token: string): Promise<boolean> => {
  await tx.query(sql.typeAlias('void')`
    delete from used_provider_tokens where created_at < now() - interval '1 hour'
  `);
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    insert into used_provider_tokens (token) values (${token}) on conflict do nothing
  `);
  return rowCount === 1;
};

import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { PROVIDER_CHANNELS } from './channels.ts';

const Provider = z.object({
  channel: z.enum(PROVIDER_CHANNELS),
  name: z.string(),
  secret_sealed: z.string(),
  previous_secret_sealed: z.string().nullable(),
});

export const all = (tx: Transaction) =>
  tx.any(sql.type(Provider)`
    select channel, name, secret_sealed, previous_secret_sealed from communication_providers
  `);

type NewProvider = {
  channel: string;
  name: string;
  account_id: string | null;
  secret_sealed: string;
};

export const save = (tx: Transaction, { channel, name, account_id, secret_sealed }: NewProvider) =>
  tx.query(sql.typeAlias('void')`
    insert into communication_providers as provider (channel, name, account_id, secret_sealed)
    values (${channel}, ${name}, ${account_id}, ${secret_sealed})
    on conflict (tenant_id, channel) do update
    set name = excluded.name, account_id = excluded.account_id,
        previous_secret_sealed = provider.secret_sealed, secret_sealed = excluded.secret_sealed
  `);

const Named = z.object({ name: z.string(), account_id: z.string().nullable() });

/** Who provides the channel, without the secret. */
export const named = (tx: Transaction, channel: string) =>
  tx.maybeOne(sql.type(Named)`
    select name, account_id from communication_providers where channel = ${channel}
  `);

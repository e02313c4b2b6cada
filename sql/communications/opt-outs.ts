import { sql, type Transaction } from '../database/db.ts';
import type { ProviderChannel } from './channels.ts';

type Fragment = ReturnType<typeof sql.fragment>;

export const isOptedOut = (channel: ProviderChannel, contact: Fragment) => sql.fragment`exists (
  select from opt_outs where channel = ${channel} and contact_value = ${contact}
)`;

/** Opts a number or address out. Returns whether it was opted in before. */
export const optOut = async (
  tx: Transaction,
  { channel, contact, message }: { channel: ProviderChannel; contact: string; message: string },
): Promise<boolean> => {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    insert into opt_outs (channel, contact_value, message) values (${channel}, ${contact}, ${message})
    on conflict do nothing
  `);
  return rowCount === 1;
};

/** Opts a number or address in again. Returns whether it was opted out before. */
export const optIn = async (
  tx: Transaction,
  { channel, contact }: { channel: ProviderChannel; contact: string },
): Promise<boolean> => {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from opt_outs where channel = ${channel} and contact_value = ${contact}
  `);
  return rowCount === 1;
};

export const optInBorrower = (tx: Transaction, channel: ProviderChannel, borrowerId: string) =>
  tx.query(sql.typeAlias('void')`
    delete from opt_outs
    where channel = ${channel} and contact_value in (
      select phone_number from phones
      where borrower_id = ${borrowerId} and not is_archived and ${channel} = 'sms'
      union all
      select email from emails
      where borrower_id = ${borrowerId} and not is_archived and ${channel} = 'email'
    )
  `);

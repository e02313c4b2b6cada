import { sql, type Transaction } from '../database/db.ts';
import type { ProviderChannel } from './channels.ts';

type Fragment = ReturnType<typeof sql.fragment>;

/** Whether whoever holds this number or address has said stop there. */
export const isOptedOut = (channel: ProviderChannel, contact: Fragment) => sql.fragment`exists (
  select from opt_outs where channel = ${channel} and contact_value = ${contact}
)`;

/** Nothing more is to go to a number or an address; answers whether that is news. */
export const optOut = async (
  tx: Transaction,
  { channel, contact, said }: { channel: ProviderChannel; contact: string; said: string },
): Promise<boolean> => {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    insert into opt_outs (channel, contact_value, said) values (${channel}, ${contact}, ${said})
    on conflict do nothing
  `);
  return rowCount === 1;
};

/** The number or address may be written to again; answers whether that is news. */
export const optIn = async (
  tx: Transaction,
  { channel, contact }: { channel: ProviderChannel; contact: string },
): Promise<boolean> => {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from opt_outs where channel = ${channel} and contact_value = ${contact}
  `);
  return rowCount === 1;
};

/** The same for all numbers or addresses of a borrower. */
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

import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';
import { isOptedOut } from './opt-outs.ts';
import { smsPhone } from './recipients.ts';

/**
 * The messages that a borrower accepts, and the channels. An unsubscribed email address or an opted-out
 * phone number counts as a preference that was switched off.
 */
export const preferences = table({
  name: 'borrowers',
  rows: sql.fragment`
    select record.id, record.id as borrower_id,
           record.email_enabled and email.status is distinct from 'unsubscribed'
             and not ${isOptedOut('email', sql.fragment`email.email`)} as email_enabled,
           record.sms_enabled
             and not ${isOptedOut('sms', sql.fragment`phone.phone_number`)} as sms_enabled,
           record.letter_enabled, record.marketing_enabled
    from borrowers as record
    left join emails as email
      on email.borrower_id = record.id and email.is_primary and not email.is_archived
    left join lateral (${smsPhone('record')}) as phone on true
  `,
});

/** Ends the unsubscription of the address that the borrower's mail goes to. */
export const resubscribe = (tx: Transaction, borrowerId: string) =>
  tx.query(sql.typeAlias('void')`
    update emails set status = 'active'
    where borrower_id = ${borrowerId} and is_primary and not is_archived
      and status = 'unsubscribed'
  `);

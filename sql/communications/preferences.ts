import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';
import { isOptedOut } from './opt-outs.ts';
import { smsPhone } from './recipients.ts';

/**
 * What a borrower wants to be sent, and how. Whoever unsubscribed the address that mail goes to, or said
 * stop at the number that texts go to, wants none there, as if it had been said here.
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

/** The address that mail goes to is written to again. */
export const resubscribe = (tx: Transaction, borrowerId: string) =>
  tx.query(sql.typeAlias('void')`
    update emails set status = 'active'
    where borrower_id = ${borrowerId} and is_primary and not is_archived
      and status = 'unsubscribed'
  `);

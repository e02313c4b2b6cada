import { z } from 'zod';
import type { ConsentType } from '../borrowers/consents.ts';
import { sql, type Transaction } from '../database/db.ts';

const GrantedConsent = z.object({ id: z.string(), is_in_force: z.boolean() });

/** Every consent of a type that the borrower gave, and whether it is in force. */
export const findConsent = (tx: Transaction, borrowerId: string, type: ConsentType) =>
  tx.any(sql.type(GrantedConsent)`
    select id, revoked_at is null and (expires_at is null or expires_at > now()) as is_in_force
    from borrower_consents
    where borrower_id = ${borrowerId} and consent_type = ${type}
    order by id
  `);

const Agreement = z.object({ granted_at: z.string(), consent_text: z.string().nullable() });

/** The borrower's latest consent of a type that is in force. */
export const findConsentInForce = (tx: Transaction, borrowerId: string, type: ConsentType) =>
  tx.maybeOne(sql.type(Agreement)`
    select granted_at, consent_text from borrower_consents
    where borrower_id = ${borrowerId} and consent_type = ${type}
      and revoked_at is null and (expires_at is null or expires_at > now())
    order by granted_at desc, id desc limit 1
  `);

/** The authorization of a payment that this person ordered in the portal. */
export const findPaymentAuthorization = (tx: Transaction, paymentId: string, borrowerId: string) =>
  tx.maybeOne(sql.type(Agreement.extend({ status: z.enum(['granted', 'revoked']) }))`
    select consent.granted_at, consent.consent_text,
           case when consent.revoked_at is null then 'granted' else 'revoked' end as status
    from payments as payment
    join borrower_consents as consent on consent.id = payment.consent_id
    where payment.id = ${paymentId} and payment.borrower_id = ${borrowerId}
  `);

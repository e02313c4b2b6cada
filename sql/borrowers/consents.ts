import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const CONSENT_TYPES = [
  ...(['esign', 'tcpa_sms', 'tcpa_call', 'email', 'marketing', 'credit_pull'] as const),
  ...(['autopay', 'payment', 'data_sharing', 'privacy_policy', 'terms'] as const),
] as const;
export type ConsentType = (typeof CONSENT_TYPES)[number];

/** How the consent was received. */
export const CONSENT_SOURCES = [
  ...(['portal', 'agent', 'api', 'import', 'paper', 'sms_keyword', 'email'] as const),
] as const;

export const REVOCATION_METHODS = [
  ...(['portal', 'sms_keyword', 'agent', 'email', 'letter', 'provider', 'bank_return'] as const),
] as const;

export const consents = table({
  name: 'borrower_consents',
  owner: 'borrowers',
  rows: sql.fragment`
    select record.id, record.borrower_id, record.consent_type, record.channel,
           case
             when record.revoked_at is not null then 'revoked'
             when record.expires_at <= now() then 'expired'
             else 'granted'
           end as status,
           record.granted_at, record.expires_at, record.source, record.consent_text,
           record.document_id, record.document_version, record.ip_address, record.user_agent,
           record.contact_value, record.revoked_at, record.revocation_method,
           record.revocation_reason, record.created_at, record.updated_at
    from borrower_consents as record
  `,
});

export type Revocation = {
  method: (typeof REVOCATION_METHODS)[number];
  reason: string | null;
};

/** Revokes the consent. A consent is evidence, so no other column ever changes. */
export const markConsentRevoked = (tx: Transaction, id: string, { method, reason }: Revocation) =>
  tx.query(sql.typeAlias('void')`
    update borrower_consents
    set revoked_at = greatest(now(), granted_at), revocation_method = ${method},
        revocation_reason = ${reason}
    where id = ${id} and revoked_at is null
  `);

const Covering = z.object({ id: z.string(), borrower_id: z.string() });

/**
 * The consents of these borrowers that cover a number or address: given for that contact, or for all of the
 * borrower's contacts.
 */
export const findCoveringConsent = (
  tx: Transaction,
  borrowerIds: readonly string[],
  type: ConsentType,
  contact: string,
) =>
  tx.any(sql.type(Covering)`
    select id, borrower_id from borrower_consents
    where borrower_id = any(${sql.array(borrowerIds, 'uuid')}) and consent_type = ${type}
      and revoked_at is null and (expires_at is null or expires_at > now())
      and (contact_value is null or contact_value = ${contact})
    order by id for no key update
  `);

import { z } from 'zod';
import { addConsent, RevokeConsent, revokeConsent } from '../../jobs/borrowers/consent.ts';
import {
  consents as table,
  CONSENT_SOURCES,
  CONSENT_TYPES,
  REVOCATION_METHODS,
} from '../../sql/borrowers/consents.ts';
import { CHANNELS } from '../../sql/communications/channels.ts';
import { freeText, prose, timestamps, text, timestamp, uuid } from '../../sql/types.ts';
import { action, resource } from '../endpoints/resource.ts';

export const consents = resource({
  name: 'BorrowerConsent',
  path: 'borrower-consents',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  // Consents are evidence. They are neither changed nor deleted.
  offers: ['read'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid,
    consent_type: z.enum(CONSENT_TYPES),
    channel: z.enum(CHANNELS).nullish(),
    status: z.enum(['granted', 'revoked', 'expired']).readonly(),
    granted_at: timestamp.nullish().describe('Default: now.'),
    expires_at: timestamp.nullish(),
    source: z.enum(CONSENT_SOURCES).optional(),
    consent_text: prose.nullish(),
    document_id: uuid.nullish(),
    document_version: text.nullish(),
    ip_address: z
      .string()
      .max(45)
      .regex(/^[0-9a-fA-F.:]{2,45}$/, 'Must be an IP address.')
      .nullish(),
    user_agent: freeText.nullish(),
    contact_value: text
      .max(254)
      .nullish()
      .describe('The phone number or address that the consent covers. Null covers all of them.'),
    revoked_at: timestamp.nullable().readonly(),
    revocation_method: z.enum(REVOCATION_METHODS).nullable().readonly(),
    revocation_reason: z.string().nullable().readonly(),
    ...timestamps,
  },
  filters: ['borrower_id', 'consent_type', 'channel', 'status', 'source', 'granted_at'],

  create: addConsent,
  actions: {
    revoke: action({
      allow: 'loan_officer',
      summary: 'Revoke a consent',
      description:
        'A consent can be revoked once. Answers 409 if it has expired or is already revoked.',
      body: RevokeConsent,
      run: revokeConsent,
    }),
  },
});

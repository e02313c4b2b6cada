import { z } from 'zod';
import {
  addConsent,
  RevokeConsent,
  revokeConsent,
  consentEnded,
} from '../../jobs/borrowers/consent.ts';
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
  about: 'A consent of a borrower, with its evidence and its revocation.',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  // Consents are evidence. They are neither changed nor deleted.
  offers: ['read'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid,
    consent_type: z
      .enum(CONSENT_TYPES)
      .describe(
        'What the borrower agrees to. `esign` covers electronic documents, `tcpa_sms` texts, `email` emails, `autopay` recurring draws and `payment` a single draw. Once revoked or expired, messages that need it are blocked. The other types are evidence.',
      ),
    channel: z.enum(CHANNELS).nullish().describe('The channel that the consent is about.'),
    status: z
      .enum(['granted', 'revoked', 'expired'])
      .readonly()
      .describe('Whether the consent is in force.'),
    granted_at: timestamp.nullish().describe('Default: now.'),
    expires_at: timestamp
      .nullish()
      .describe('When it ends. Default: never. Must be after `granted_at`.'),
    source: z
      .enum(CONSENT_SOURCES)
      .optional()
      .describe('How the consent was received. Default: `agent`, or `portal` for the borrower.'),
    consent_text: prose.nullish().describe('The words to which the borrower agreed.'),
    document_id: uuid.nullish().describe('The document that shows the consent.'),
    document_version: text
      .nullish()
      .describe('The version of the text to which the borrower agreed.'),
    ip_address: z
      .string()
      .max(45)
      .regex(/^[0-9a-fA-F.:]{2,45}$/, 'Must be an IP address.')
      .nullish()
      .describe(
        "The address of the borrower's device. Default in the portal: that of the request.",
      ),
    user_agent: freeText.nullish().describe("The borrower's browser."),
    contact_value: text
      .max(254)
      .nullish()
      .describe('The phone number or address that the consent covers. Null covers all of them.'),
    revoked_at: timestamp.nullable().readonly().describe('When it was revoked.'),
    revocation_method: z
      .enum(REVOCATION_METHODS)
      .nullable()
      .readonly()
      .describe('How it was revoked.'),
    revocation_reason: z.string().nullable().readonly().describe('Why it was revoked.'),
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
      conflicts: () => [consentEnded('revoked')],
      body: RevokeConsent,
      run: revokeConsent,
    }),
  },
});

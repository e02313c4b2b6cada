import { z } from 'zod';
import { consents } from '../../sql/borrowers/consents.ts';
import { preferences } from '../../sql/communications/preferences.ts';
import { findConsent } from '../../sql/portal/consents.ts';
import { findLocked, type Row } from '../../sql/table.ts';
import { prose } from '../../sql/types.ts';
import { auditChange } from '../audit.ts';
import { addConsent, revokeConsent } from '../borrowers/consent.ts';
import { CHANNEL_CONSENTS, setPreferences, Preferences } from '../communications/preferences.ts';
import type { Work } from '../work.ts';
import { consentText } from './consent-texts.ts';

/** Records a borrower's consent with an audit entry and returns its id. */
export async function recordConsent(
  work: Work,
  consent: Parameters<typeof addConsent>[1],
  action: 'create' | 'authorize' = 'create',
) {
  return (await auditChange(work, consents, action, null, () => addConsent(work, consent))).id;
}

/** Revokes a consent unless it has already ended. */
export async function endConsent(work: Work, id: string) {
  const before = await findLocked(work.tx, consents, id);
  if (before?.['status'] !== 'granted') return;
  await auditChange(work, consents, 'revoke', before, async () => {
    await revokeConsent(work, id, {});
    return id;
  });
}

/** The preferences that record a consent when a borrower switches them on in the portal. */
const CONSENTED = {
  sms: { ...CHANNEL_CONSENTS.sms, channel: 'sms' },
  email: { ...CHANNEL_CONSENTS.email, channel: 'email' },
  marketing: { type: 'marketing', preference: 'marketing_enabled', channel: null },
} as const;

const agreedText = prose
  .optional()
  .describe('The text that the borrower saw. Default: our text, in the language of the borrower.');

/** A borrower's own contact preferences, with the texts to which the borrower agreed. */
export const OwnPreferences = Preferences.extend({
  consents: z
    .strictObject({ sms: agreedText, email: agreedText, marketing: agreedText })
    .optional()
    .describe(
      'The texts shown next to the preferences. With `sms`, a consent to automated text messages is recorded even if texts were already on.',
    ),
});

/**
 * Changes the borrower's own contact preferences. Switching a preference off revokes its consents, and
 * switching it on records a new one with the text that the borrower saw, so that preference and consent
 * agree.
 */
export async function setOwnPreferences(
  work: Work,
  borrowerId: string,
  { consents: texts = {}, ...wishes }: z.output<typeof OwnPreferences>,
): Promise<Row> {
  const before = await findLocked(work.tx, preferences, borrowerId);
  const after = await setPreferences(work, borrowerId, wishes);
  for (const name of ['sms', 'email', 'marketing'] as const) {
    const { type: consent_type, preference, channel } = CONSENTED[name];
    const wants = wishes[preference];
    if (wants === undefined) continue;
    const given = await findConsent(work.tx, borrowerId, consent_type);
    const inForce = given.filter(({ is_in_force }) => is_in_force);
    const isNew = before?.[preference] !== wants;
    const isAsked = isNew || given.length > 0 || (name === 'sms' && Boolean(texts.sms));
    if (!wants) for (const { id } of inForce) await endConsent(work, id);
    else if (inForce.length === 0 && isAsked) {
      const consent_text = texts[name] || (await consentText(work, borrowerId, consent_type));
      await recordConsent(work, { borrower_id: borrowerId, consent_type, channel, consent_text });
    }
  }
  return after;
}

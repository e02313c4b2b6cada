import type { z } from 'zod';
import { consents } from '../../sql/borrowers/consents.ts';
import { preferences } from '../../sql/communications/preferences.ts';
import { findConsent } from '../../sql/portal/consents.ts';
import { findLocked, type Row } from '../../sql/table.ts';
import { auditChange } from '../audit.ts';
import { addConsent, revokeConsent } from '../borrowers/consent.ts';
import {
  CHANNEL_CONSENTS,
  setPreferences,
  type Preferences,
} from '../communications/preferences.ts';
import type { Work } from '../work.ts';

/** Records a borrower's consent with an audit entry and returns its id. */
export async function recordConsent(work: Work, consent: Parameters<typeof addConsent>[1]) {
  return (await auditChange(work, consents, 'create', null, () => addConsent(work, consent))).id;
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

/**
 * Changes the borrower's own contact preferences. Switching email or texts off revokes the channel's
 * consents, and switching it on records a new one, so that preference and consent agree.
 */
export async function setOwnPreferences(
  work: Work,
  borrowerId: string,
  wishes: z.output<typeof Preferences>,
): Promise<Row> {
  const before = await findLocked(work.tx, preferences, borrowerId);
  const after = await setPreferences(work, borrowerId, wishes);
  for (const [channel, { type: consent_type, preference }] of Object.entries(CHANNEL_CONSENTS)) {
    const wants = wishes[preference];
    if (wants === undefined) continue;
    const given = await findConsent(work.tx, borrowerId, consent_type);
    const inForce = given.filter(({ is_in_force }) => is_in_force);
    const isNew = before?.[preference] !== wants;
    if (!wants) for (const { id } of inForce) await endConsent(work, id);
    else if (inForce.length === 0 && (isNew || given.length > 0)) {
      const consent_text = 'Switched on in the portal.';
      await recordConsent(work, { borrower_id: borrowerId, consent_type, channel, consent_text });
    }
  }
  return after;
}

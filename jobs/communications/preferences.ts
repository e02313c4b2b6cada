import { z } from 'zod';
import {
  findCoveringConsent,
  markConsentRevoked,
  type ConsentType,
} from '../../sql/borrowers/consents.ts';
import type { ProviderChannel } from '../../sql/communications/channels.ts';
import * as inbound from '../../sql/communications/inbound.ts';
import * as optOuts from '../../sql/communications/opt-outs.ts';
import { preferences, resubscribe } from '../../sql/communications/preferences.ts';
import { findLocked, type Row } from '../../sql/table.ts';
import { flag } from '../../sql/types.ts';
import { insert, update } from '../../sql/write.ts';
import { auditUpdate, recordAudit } from '../audit.ts';
import { NotFound } from '../errors.ts';
import type { Work } from '../work.ts';

/** A borrower's contact preferences. Omitted channels stay unchanged. */
export const Preferences = z.object({
  email_enabled: flag
    .optional()
    .describe('Whether the borrower gets emails. Setting it to true undoes an unsubscription.'),
  sms_enabled: flag
    .optional()
    .describe('Whether the borrower gets text messages. Setting it to true undoes a STOP.'),
  letter_enabled: flag
    .optional()
    .describe('Whether the borrower gets letters. Letters that the law requires are always sent.'),
  marketing_enabled: flag.optional().describe('Whether the borrower agrees to marketing.'),
});

/**
 * Changes a borrower's contact preferences, with an audit entry. Enabling a channel also reactivates
 * addresses that had unsubscribed and numbers that had sent STOP.
 */
export async function setPreferences(
  work: Work,
  borrowerId: string,
  wishes: z.output<typeof Preferences>,
): Promise<Row> {
  const before = await findLocked(work.tx, preferences, borrowerId);
  if (before === null) throw new NotFound();
  const steps = async () => {
    await update(work.tx, 'borrowers', borrowerId, wishes);
    if (wishes.email_enabled) await resubscribe(work.tx, borrowerId);
    if (wishes.email_enabled) await optOuts.optInBorrower(work.tx, 'email', borrowerId);
    if (wishes.sms_enabled) await optOuts.optInBorrower(work.tx, 'sms', borrowerId);
    return borrowerId;
  };
  return auditUpdate(work, preferences, before, steps, { isHidden: false });
}

/**
 * The consent that covers each channel, its source when given on that channel, and the preference that it
 * switches.
 */
export const CHANNEL_CONSENTS = {
  sms: { type: 'tcpa_sms', consent_source: 'sms_keyword', preference: 'sms_enabled' },
  email: { type: 'email', consent_source: 'email', preference: 'email_enabled' },
} as const satisfies Record<
  ProviderChannel,
  { type: ConsentType; consent_source: string; preference: string }
>;

/**
 * An opt-in or opt-out with the words used. `source` is set if the provider reports it instead of the
 * borrower.
 */
type PreferenceMessage = { from: string; body: string; wants: boolean; source?: 'provider' };

/** The provider refuses texts to this number, because its holder has opted out at the provider. */
export const recordProviderOptOut = (work: Work, number: string, code: string | null | undefined) =>
  applyOptRequest(work, 'sms', {
    from: number,
    body: `The provider reports that this number has opted out (${code ?? 'unsubscribe'})`,
    wants: false,
    source: 'provider',
  });

/**
 * Applies an opt-in or opt-out from a number or address immediately, for every borrower who uses it. An
 * opt-out switches the channel off and revokes consents. An opt-in switches it on and stores a new consent
 * with the words used. The choice also applies to borrowers who get this contact later. Returns whether
 * anything changed.
 */
export async function applyOptRequest(
  work: Work,
  channel: ProviderChannel,
  { from, body, wants, source }: PreferenceMessage,
): Promise<boolean> {
  const by = asProvider(work);
  const words = body.replace(/\p{C}/gu, ' ').trim().slice(0, 200);
  const { type, consent_source, preference } = CHANNEL_CONSENTS[channel];
  const contact = channel === 'email' ? from.toLowerCase() : from;
  const holders = await inbound.lockContactHolders(work.tx, channel, contact);
  let isNews = wants
    ? await optOuts.optIn(work.tx, { channel, contact })
    : await optOuts.optOut(work.tx, { channel, contact, message: words });
  for (const { id, ...enabled } of holders) {
    if (enabled[preference] === wants) continue;
    isNews = true;
    await update(work.tx, 'borrowers', id, { [preference]: wants });
    const changes = { [preference]: { old: !wants, new: wants } };
    await recordAudit(by, { type: 'borrowers', id, borrower_id: id }, 'update', changes, words);
  }
  const ids = holders.map(({ id }) => id);
  if (!wants) {
    await revokeChannelConsents(work, channel, ids, contact, words, source);
    return isNews;
  }
  const agreed = await findCoveringConsent(work.tx, ids, type, contact);
  const has = new Set(agreed.map(({ borrower_id }) => borrower_id));
  for (const borrower_id of ids.filter((one) => !has.has(one))) {
    const grant = { consent_type: type, channel, source: consent_source, contact_value: contact };
    const id = await insert(work.tx, 'borrower_consents', {
      ...grant,
      borrower_id,
      consent_text: words,
    });
    const status = { old: null, new: 'granted' };
    const entity = { type: 'borrower_consents', id, borrower_id };
    await recordAudit(
      by,
      entity,
      'create',
      { consent_type: { old: null, new: type }, status },
      words,
    );
  }
  return isNews;
}

/** Revokes the consents of these borrowers for this number or address and records the words used. */
export async function revokeChannelConsents(
  work: Work,
  channel: ProviderChannel,
  borrowerIds: readonly string[],
  contact: string,
  reason: string,
  source?: 'provider',
) {
  const { type, consent_source } = CHANNEL_CONSENTS[channel];
  for (const { id, borrower_id } of await findCoveringConsent(
    work.tx,
    borrowerIds,
    type,
    contact,
  )) {
    await markConsentRevoked(work.tx, id, { method: source ?? consent_source, reason });
    const changes = { status: { old: 'granted', new: 'revoked' } };
    const entity = { type: 'borrower_consents', id, borrower_id };
    await recordAudit(asProvider(work), entity, 'revoke', changes, reason);
  }
}

/** The actor is the provider, which reports what a borrower said. */
export const asProvider = (work: Work): Work => ({
  ...work,
  actor: { ...work.actor, type: 'provider' },
});

import { z } from 'zod';
import { findCoveringConsent, revoke, type ConsentType } from '../../sql/borrowers/consents.ts';
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

/** What a borrower has not switched off is allowed. */
export const Preferences = z.object({
  email_enabled: flag.optional(),
  sms_enabled: flag.optional(),
  letter_enabled: flag.optional(),
  marketing_enabled: flag.optional(),
});

/**
 * Writes what a borrower wants to be sent, whoever says it. Each change is in the history; what is wanted
 * again goes to an address that had unsubscribed and to a number that had said stop, too.
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

/** What is agreed to by whoever wants messages on a channel, and how it is said on that channel. */
export const CHANNEL_CONSENTS = {
  sms: { type: 'tcpa_sms', said: 'sms_keyword', preference: 'sms_enabled' },
  email: { type: 'email', said: 'email', preference: 'email_enabled' },
} as const satisfies Record<
  ProviderChannel,
  { type: ConsentType; said: string; preference: string }
>;

/** What somebody asks for with which words; `source` where the provider says so and not the holder. */
type Word = { from: string; body: string; wants: boolean; source?: 'provider' };

/** The provider refuses to send a text because the holder of the number has opted out there. */
export const recordProviderOptOut = (work: Work, number: string, code: string | null | undefined) =>
  applyOptRequest(work, 'sms', {
    from: number,
    body: `The provider reports that this number has opted out (${code ?? 'unsubscribe'})`,
    wants: false,
    source: 'provider',
  });

/**
 * The word of whoever holds a number or an address, obeyed at once for every borrower who is reached
 * there: the channel is switched off and what was agreed to is revoked, or it is switched on again and
 * the new consent is kept with the words that gave it. It is remembered for whoever is reached there later.
 * Answers whether it was news.
 */
export async function applyOptRequest(
  work: Work,
  channel: ProviderChannel,
  { from, body, wants, source }: Word,
): Promise<boolean> {
  const by = asProvider(work);
  const words = body.replace(/\p{C}/gu, ' ').trim().slice(0, 200);
  const { type, said, preference } = CHANNEL_CONSENTS[channel];
  const contact = channel === 'email' ? from.toLowerCase() : from;
  const holders = await inbound.lockContactHolders(work.tx, channel, contact);
  let isNews = wants
    ? await optOuts.optIn(work.tx, { channel, contact })
    : await optOuts.optOut(work.tx, { channel, contact, said: words });
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
    const grant = { consent_type: type, channel, source: said, contact_value: contact };
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

/** What these borrowers have agreed to for this number or address ends, with the words that end it. */
export async function revokeChannelConsents(
  work: Work,
  channel: ProviderChannel,
  borrowerIds: readonly string[],
  contact: string,
  reason: string,
  source?: 'provider',
) {
  const { type, said } = CHANNEL_CONSENTS[channel];
  for (const { id, borrower_id } of await findCoveringConsent(
    work.tx,
    borrowerIds,
    type,
    contact,
  )) {
    await revoke(work.tx, id, { method: source ?? said, reason });
    const changes = { status: { old: 'granted', new: 'revoked' } };
    const entity = { type: 'borrower_consents', id, borrower_id };
    await recordAudit(asProvider(work), entity, 'revoke', changes, reason);
  }
}

/** Nobody is signed in: it is the provider who tells us what a borrower said. */
export const asProvider = (work: Work): Work => ({
  ...work,
  actor: { ...work.actor, type: 'provider' },
});

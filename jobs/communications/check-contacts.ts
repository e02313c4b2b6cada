import type { ConsentType } from '../../sql/borrowers/consents.ts';
import type { Channel } from '../../sql/communications/channels.ts';
import type { PendingMessage } from '../../sql/communications/outbound.ts';
import { recentContacts } from '../../sql/communications/recent-contacts.ts';
import * as recipients from '../../sql/communications/recipients.ts';
import { currentTenant } from '../../sql/tenants.ts';
import type { Condition } from '../cases/rules/conditions.ts';
import { isTimeZone } from '../time-zones.ts';
import { readSettings } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';
import {
  COLLECTION_TEMPLATE_TYPES,
  requiresWriting,
  findBlockReasons,
  type ContactFacts,
  type BlockReason,
} from './contact-rules.ts';

export type PlannedContact = {
  channel: Channel;
  template_type: string | null;
  loan_id: string | null;
  /** The time to check. Default: now. */
  at?: Date | undefined;
};

export type ContactCheck = { recipient: recipients.Recipient; reasons: BlockReason[] };

/**
 * Returns the reasons against contacting each existing borrower. Two queries for all of them, run
 * concurrently, plus one for the tenant.
 */
export async function checkContacts(
  { tx }: Work,
  ids: readonly string[],
  plan: PlannedContact,
  tenant?: Pick<PendingMessage['tenant'], 'settings' | 'time_zone'>,
): Promise<Map<string, ContactCheck>> {
  const { channel, template_type, loan_id, at = new Date() } = plan;
  const { settings, time_zone } = tenant ?? (await currentTenant(tx));
  const { communications, cases } = readSettings(settings);
  const question = {
    ids,
    type: template_type,
    channel,
    loan_id,
    collections: COLLECTION_TEMPLATE_TYPES,
  };
  const [recent, reached] = await Promise.all([
    recentContacts(tx, { ...question, hours: communications.suppression_hours }),
    recipients.findRecipients(tx, ids, loan_id),
  ]);
  const context = { type: template_type, required: communications.required_consents };
  const contacts = new Map(recent.map((row) => [row.borrower_id, row]));
  const found = new Map<string, ContactCheck>();
  for (const recipient of reached) {
    const made = contacts.get(recipient.id);
    const facts = {
      ...recipientFacts(recipient, channel, context),
      has_recent_same: made?.has_same ?? false,
      collections_this_week: made?.collections ?? 0,
      local_hour: localHour(recipientTimeZone(recipient, time_zone), at),
    };
    const reasons = findBlockReasons(facts, channel, template_type, {
      ...communications,
      cases,
    });
    found.set(recipient.id, { recipient, reasons });
  }
  return found;
}

/** The address for a message on this channel, or null. */
export function contactAddress(recipient: recipients.Recipient, channel: Channel): string | null {
  if (channel === 'email') return recipient.email;
  if (channel === 'sms') return recipient.phone;
  if (channel === 'letter') return recipient.address_lines?.join(', ') ?? null;
  return recipient.id;
}

type RecipientFacts = Omit<
  ContactFacts,
  'has_recent_same' | 'collections_this_week' | 'local_hour'
>;
type CheckContext = { type: string | null; required: readonly ConsentType[] };

function recipientFacts(
  recipient: recipients.Recipient,
  channel: Channel,
  context: CheckContext,
): RecipientFacts {
  const { email_enabled, sms_enabled, letter_enabled, email_status, phone_status } = recipient;
  const enabled = { email: email_enabled, sms: sms_enabled, letter: letter_enabled, in_app: true };
  const hasUnsubscribed =
    (channel === 'email' && (email_status === 'unsubscribed' || recipient.email_is_stopped)) ||
    (channel === 'sms' && recipient.phone_is_stopped);
  const isUndeliverable =
    (channel === 'email' && ['bounced', 'complained'].includes(email_status ?? '')) ||
    (channel === 'sms' && ['invalid', 'reassigned'].includes(phone_status ?? '')) ||
    (channel === 'letter' && recipient.address_is_returned === true);
  return {
    do_not_contact: recipient.do_not_contact,
    is_opted_out: !enabled[channel] || hasUnsubscribed,
    has_contact: contactAddress(recipient, channel) !== null,
    is_contact_valid: !isUndeliverable,
    is_consent_missing: isConsentMissing(recipient, channel, context),
    is_represented: recipient.is_represented,
    has_trustee: recipient.has_trustee,
    has_estate_representative: recipient.estate_representative !== null,
    conditions: recipient.conditions as Condition[],
    has_hardship: recipient.has_hardship,
    is_archived: recipient.is_archived,
  };
}

/**
 * A consent is missing if it was given and is revoked or expired, or if the tenant requires it and it was
 * never given. Notices that the law requires in writing also need the consent to electronic records.
 */
function isConsentMissing(
  { consents_given, consents_in_force }: recipients.Recipient,
  channel: Channel,
  { type, required }: CheckContext,
): boolean {
  const needed: ConsentType[] = [
    ...(channel === 'sms' ? (['tcpa_sms'] as const) : []),
    ...(channel === 'email' ? (['email'] as const) : []),
    ...(channel !== 'letter' && requiresWriting(type) ? (['esign'] as const) : []),
  ];
  return needed.some(
    (consent) =>
      !consents_in_force.includes(consent) &&
      (consents_given.includes(consent) || required.includes(consent)),
  );
}

/**
 * The time zone for quiet hours: the phone's, otherwise the borrower's, otherwise the tenant's. Ignores
 * unknown zones, which were stored before zones were validated.
 */
function recipientTimeZone(
  { phone_time_zone, time_zone }: recipients.Recipient,
  tenants: string,
): string {
  const known = [phone_time_zone, time_zone].find((zone) => zone !== null && isTimeZone(zone));
  return known ?? tenants;
}

/** Creating a formatter is slower than using it, so recent ones are cached. */
const hourFormatters = new Map<string, Intl.DateTimeFormat>();
const HOUR_FORMATTERS_MAX = 200;

function localHour(timeZone: string, at: Date): number {
  let clock = hourFormatters.get(timeZone);
  if (!clock) {
    if (hourFormatters.size >= HOUR_FORMATTERS_MAX) hourFormatters.clear();
    clock = new Intl.DateTimeFormat('en-US', { timeZone, hour: 'numeric', hourCycle: 'h23' });
    hourFormatters.set(timeZone, clock);
  }
  return Number(clock.format(at));
}

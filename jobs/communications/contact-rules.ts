import type { Channel } from '../../sql/communications/channels.ts';
import type { TemplateType } from '../../templates/messages.ts';
import { kindOf, type Condition, type ConditionKind } from '../cases/rules/conditions.ts';
import { effectsOf, type CaseSettings } from '../cases/rules/effects.ts';

/** Reasons that block a contact, in the order in which they are reported. */
export const BLOCK_REASONS = [
  ...(['do_not_contact', 'channel_opted_out', 'recently_contacted', 'frequency_cap'] as const),
  ...(['quiet_hours', 'no_contact_method', 'contact_invalid', 'consent_missing'] as const),
  ...(['represented_by_attorney', 'bankruptcy', 'deceased', 'cease_and_desist'] as const),
  ...(['identity_theft', 'active_duty', 'disaster', 'protection'] as const),
  ...(['hardship_review', 'borrower_archived'] as const),
] as const;
export type BlockReason = (typeof BLOCK_REASONS)[number];

/** The facts about a borrower and a channel that decide about a contact. */
export type ContactFacts = {
  do_not_contact: boolean;
  /** The borrower switched the channel off, in the preferences or by unsubscribing. */
  is_opted_out: boolean;
  has_contact: boolean;
  is_contact_valid: boolean;
  is_consent_missing: boolean;
  is_represented: boolean;
  /** A trustee in bankruptcy represents the borrower. */
  has_trustee: boolean;
  /** A representative of the estate gets the letters to a borrower who died (12 CFR 1006.6(a)(4)). */
  has_estate_representative: boolean;
  /** The legal conditions of the person, for the loan of the message or in general. */
  conditions: readonly Condition[];
  /** A hardship request is under review. */
  has_hardship: boolean;
  is_archived: boolean;
  /** A message of the same type was sent on this channel within the suppression window. */
  has_recent_same: boolean;
  /** Collection messages about the same loan in the last seven days. */
  collections_this_week: number;
  /** The hour of day in the borrower's time zone, 0 to 23. */
  local_hour: number;
};

export type ContactPolicy = {
  /** No messages from the hour `start` until the hour `end`. */
  quiet_hours: { start: number; end: number };
  weekly_cap: number;
} & CaseSettings;

/** Debt collection messages. Their hours and frequency are limited. */
export const COLLECTION_TEMPLATE_TYPES: readonly string[] = [
  'past_due_notice',
  'late_fee_notice',
  'promise_reminder',
  'broken_promise',
] satisfies TemplateType[];

/** Messages that ask for payment. A condition such as the stay of a bankruptcy forbids them. */
const ASKING_TEMPLATES: readonly string[] = [
  ...COLLECTION_TEMPLATE_TYPES,
  'payment_reminder' satisfies TemplateType,
];

/**
 * Notices that the law requires, messages that the recipient has just requested, and notices of changed
 * payment amounts.
 */
const MANDATORY: readonly string[] = [
  'schedule_changed',
  'goodbye_letter',
  'hello_letter',
  'payment_misdirected',
  'hardship_decided',
  'loan_denied',
  'application_notice',
  'payoff_letter',
  'statement_ready',
  'password_reset',
] satisfies TemplateType[];

/**
 * Mandatory notices that the law requires in writing. They go electronically only with consent (15 U.S.C.
 * 7001(c)).
 */
const WRITTEN_NOTICES: readonly string[] = [
  'schedule_changed',
  'goodbye_letter',
  'hello_letter',
  'loan_denied',
  'application_notice',
  'payoff_letter',
  'statement_ready',
] satisfies TemplateType[];

export const requiresWriting = (type: string | null) =>
  type !== null && WRITTEN_NOTICES.includes(type);

/**
 * Answers to a borrower's request. Suppression does not apply, so a second answer on the same day is sent
 * too.
 */
const REPLY_TEMPLATES: readonly string[] = [
  'case_answered',
  'hardship_received',
] satisfies TemplateType[];

export const isMandatory = (type: string | null) => type !== null && MANDATORY.includes(type);

/**
 * Returns all reasons that block a contact. A mandatory notice is not subject to suppression or caps, and
 * goes by letter even to borrowers who want no contact.
 */
export function findBlockReasons(
  facts: ContactFacts,
  channel: Channel,
  type: string | null,
  policy: ContactPolicy,
): BlockReason[] {
  const { quiet_hours, weekly_cap } = policy;
  const mustGo = isMandatory(type);
  const isUnstoppable = mustGo && channel === 'letter';
  const isAnswer = type !== null && REPLY_TEMPLATES.includes(type);
  const collects = type !== null && COLLECTION_TEMPLATE_TYPES.includes(type);
  const asks = type !== null && ASKING_TEMPLATES.includes(type);
  const reachesEstate = channel === 'letter' && facts.has_estate_representative;
  const legal = legalReasons(facts.conditions, policy, { asks, isUnstoppable, reachesEstate });
  const applies: Record<BlockReason, boolean> = {
    do_not_contact: facts.do_not_contact && !isUnstoppable,
    channel_opted_out: facts.is_opted_out && !isUnstoppable,
    recently_contacted: facts.has_recent_same && !mustGo && !isAnswer,
    frequency_cap: collects && facts.collections_this_week >= weekly_cap,
    quiet_hours: collects && channel === 'sms' && isQuiet(facts.local_hour, quiet_hours),
    no_contact_method: !facts.has_contact,
    contact_invalid: facts.has_contact && !facts.is_contact_valid,
    consent_missing: facts.is_consent_missing && !isUnstoppable,
    represented_by_attorney: facts.is_represented && !isUnstoppable,
    bankruptcy: legal.has('bankruptcy') || (facts.has_trustee && asks),
    deceased: legal.has('deceased'),
    cease_and_desist: legal.has('cease_and_desist'),
    identity_theft: legal.has('identity_theft'),
    active_duty: legal.has('active_duty'),
    disaster: legal.has('disaster'),
    protection: legal.has('protection'),
    hardship_review: facts.has_hardship && collects,
    borrower_archived: facts.is_archived,
  };
  return BLOCK_REASONS.filter((reason) => applies[reason]);
}

/** The conditions that block the message, by the name of their kind (`jobs/cases/rules/effects.ts`). */
function legalReasons(
  conditions: readonly Condition[],
  settings: CaseSettings,
  message: { asks: boolean; isUnstoppable: boolean; reachesEstate: boolean },
): Set<ConditionKind> {
  const blocking = conditions.filter((condition) => {
    const { contact, collection_messages } = effectsOf(condition, settings);
    if (!collection_messages && message.asks) return true;
    if (contact === 'none') return !(condition === 'deceased' && message.reachesEstate);
    return contact === 'required_notices_only' && !message.isUnstoppable;
  });
  return new Set(blocking.map(kindOf));
}

/** Quiet hours may extend past midnight, for example from 21 to 8. */
function isQuiet(hour: number, { start, end }: ContactPolicy['quiet_hours']): boolean {
  return start <= end ? hour >= start && hour < end : hour >= start || hour < end;
}

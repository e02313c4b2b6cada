import type { Channel } from '../../sql/communications/channels.ts';
import type { TemplateType } from '../../templates/messages.ts';

/** Why a borrower may not be contacted, in the order in which the reasons are given. */
export const BLOCK_REASONS = [
  ...(['do_not_contact', 'channel_opted_out', 'recently_contacted', 'frequency_cap'] as const),
  ...(['quiet_hours', 'no_contact_method', 'contact_invalid', 'consent_missing'] as const),
  ...(['represented_by_attorney', 'bankruptcy', 'deceased', 'cease_and_desist'] as const),
  ...(['hardship_review', 'borrower_archived'] as const),
] as const;
export type BlockReason = (typeof BLOCK_REASONS)[number];

/** What is known of a borrower and a channel when somebody wants to write. */
export type ContactFacts = {
  do_not_contact: boolean;
  /** Switched off by the borrower: in the preferences, or by unsubscribing. */
  is_opted_out: boolean;
  has_contact: boolean;
  is_contact_valid: boolean;
  is_consent_missing: boolean;
  is_represented: boolean;
  is_bankrupt: boolean;
  is_deceased: boolean;
  has_ceased: boolean;
  /** Has asked for relief, which is being looked at. */
  has_hardship: boolean;
  is_archived: boolean;
  /** A message of the same type went out on this channel within the suppression window. */
  has_recent_same: boolean;
  /** Contacts in collections about the same loan in the last seven days. */
  collections_this_week: number;
  /** The hour of the day where the borrower lives, 0 to 23. */
  local_hour: number;
};

export type ContactPolicy = {
  /** Nothing is sent from the hour of `start` until the hour of `end`. */
  quiet_hours: { start: number; end: number };
  weekly_cap: number;
};

/** Messages whose purpose is to collect a debt: hours and frequency are limited for them. */
export const COLLECTION_TEMPLATE_TYPES: readonly string[] = [
  'past_due_notice',
  'late_fee_notice',
  'promise_reminder',
  'broken_promise',
] satisfies TemplateType[];

/**
 * Notices that the law requires to be sent, what a person asked for a moment ago, and that somebody is to
 * pay other amounts than were agreed, which supersedes what they were told the time before.
 */
const MANDATORY: readonly string[] = [
  'schedule_changed',
  'hardship_decided',
  'loan_denied',
  'payoff_letter',
  'statement_ready',
  'password_reset',
] satisfies TemplateType[];

/** Those of them that the law wants in writing: electronically only with consent (15 U.S.C. 7001(c)). */
const IN_WRITING: readonly string[] = [
  'schedule_changed',
  'loan_denied',
  'payoff_letter',
  'statement_ready',
] satisfies TemplateType[];

export const requiresWriting = (type: string | null) => type !== null && IN_WRITING.includes(type);

/** Answers to what somebody asked: the second of a day is not left out because of the first. */
const ANSWERS: readonly string[] = ['case_answered', 'hardship_received'] satisfies TemplateType[];

export const isMandatory = (type: string | null) => type !== null && MANDATORY.includes(type);

/**
 * Every reason against a contact; none means that it may be made. A mandatory notice is neither
 * suppressed nor counted, and by letter it goes out even to somebody who wants no contact.
 */
export function findBlockReasons(
  facts: ContactFacts,
  channel: Channel,
  type: string | null,
  { quiet_hours, weekly_cap }: ContactPolicy,
): BlockReason[] {
  const mustGo = isMandatory(type);
  const isUnstoppable = mustGo && channel === 'letter';
  const isAnswer = type !== null && ANSWERS.includes(type);
  const collects = type !== null && COLLECTION_TEMPLATE_TYPES.includes(type);
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
    bankruptcy: facts.is_bankrupt && collects,
    deceased: facts.is_deceased,
    cease_and_desist: facts.has_ceased && !isUnstoppable,
    hardship_review: facts.has_hardship && collects,
    borrower_archived: facts.is_archived,
  };
  return BLOCK_REASONS.filter((reason) => applies[reason]);
}

/** Quiet hours may pass midnight: from 21 to 8. */
function isQuiet(hour: number, { start, end }: ContactPolicy['quiet_hours']): boolean {
  return start <= end ? hour >= start && hour < end : hour >= start || hour < end;
}

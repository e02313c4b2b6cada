import { expect, test } from 'vitest';
import { findBlockReasons, type ContactFacts } from '../../jobs/communications/contact-rules.ts';

const policy = { quiet_hours: { start: 21, end: 8 }, weekly_cap: 7, cases: { effects: {} } };
const reachable: ContactFacts = {
  do_not_contact: false,
  is_opted_out: false,
  has_contact: true,
  is_contact_valid: true,
  is_consent_missing: false,
  is_represented: false,
  has_trustee: false,
  has_estate_representative: false,
  conditions: [],
  has_hardship: false,
  is_archived: false,
  has_recent_same: false,
  collections_this_week: 0,
  local_hour: 12,
};

test('a borrower who can be reached has no blockers', () => {
  expect(findBlockReasons(reachable, 'email', 'payment_reminder', policy)).toEqual([]);
});

test('all blockers are returned, those of the specification first', () => {
  const facts = { ...reachable, has_recent_same: true, is_opted_out: true, do_not_contact: true };

  expect(findBlockReasons(facts, 'sms', 'payment_reminder', policy)).toEqual([
    'do_not_contact',
    'channel_opted_out',
    'recently_contacted',
  ]);
});

test.each([
  [20, []],
  [21, ['quiet_hours']],
  [7, ['quiet_hours']],
  [8, []],
])('a collections text at %i o’clock local time: %j', (local_hour, reasons) => {
  expect(findBlockReasons({ ...reachable, local_hour }, 'sms', 'past_due_notice', policy)).toEqual(
    reasons,
  );
});

test('quiet hours apply only to collections texts', () => {
  const atNight = { ...reachable, local_hour: 23 };

  expect(findBlockReasons(atNight, 'email', 'past_due_notice', policy)).toEqual([]);
  expect(findBlockReasons(atNight, 'sms', 'payment_received', policy)).toEqual([]);
});

test('the eighth collections contact within a week is blocked', () => {
  const pestered = { ...reachable, collections_this_week: 7 };

  expect(findBlockReasons(pestered, 'email', 'past_due_notice', policy)).toEqual(['frequency_cap']);
  expect(findBlockReasons(pestered, 'email', 'payment_received', policy)).toEqual([]);
});

test('a mandatory notice goes by letter to a borrower who wants no contact', () => {
  const silent = { ...reachable, do_not_contact: true, has_recent_same: true };

  expect(findBlockReasons(silent, 'email', 'statement_ready', policy)).toEqual(['do_not_contact']);
  expect(findBlockReasons(silent, 'letter', 'statement_ready', policy)).toEqual([]);
});

test('a tenant may stop collection messages even after a dismissal', () => {
  const dismissed: ContactFacts = { ...reachable, conditions: ['dismissed_7'] };
  const strict = { ...policy, cases: { effects: { dismissed_7: { collection_messages: false } } } };

  expect(findBlockReasons(dismissed, 'email', 'past_due_notice', policy)).toEqual([]);
  expect(findBlockReasons(dismissed, 'email', 'past_due_notice', strict)).toEqual(['bankruptcy']);
});

test('an address that bounced cannot be used', () => {
  const bounced = { ...reachable, is_contact_valid: false };

  expect(findBlockReasons(bounced, 'email', null, policy)).toEqual(['contact_invalid']);
});

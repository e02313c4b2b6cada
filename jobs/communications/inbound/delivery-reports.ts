import { z } from 'zod';
import * as inbound from '../../../sql/communications/inbound.ts';
import { recordAudit } from '../../audit.ts';
import type { Work } from '../../work.ts';
import { advanceStatus } from '../delivery-status.ts';
import { extractLogId } from '../message-ids.ts';
import { asProvider, recordProviderOptOut, revokeChannelConsents } from '../preferences.ts';

const Report = z.object({
  provider_message_id: z.string().min(1).max(300),
  status: z.string().max(60),
  timestamp: z.string().max(40).nullish(),
  error_code: z.string().max(60).nullish(),
  error_message: z.string().max(1_000).nullish(),
  is_opted_out: z
    .boolean()
    .nullish()
    .describe('Whether the recipient has opted out at the provider, which then sends nothing.'),
});

/** Accepts a single report or a list. */
export const DeliveryReports = z
  .union([Report, z.array(Report).max(5_000)])
  .transform((reports) => [reports].flat());

/** Applies delivery reports to messages. Ignores reports about unknown messages and outdated reports. */
export async function processReports(work: Work, reports: z.output<typeof DeliveryReports>) {
  const { tx } = work;
  let changed = 0;
  for (const {
    provider_message_id,
    status: reported,
    timestamp,
    error_code,
    error_message,
    is_opted_out,
  } of reports) {
    const message = await inbound.lockReportedMessage(
      tx,
      provider_message_id,
      extractLogId(provider_message_id),
    );
    if (!message) continue;
    const { channel, borrower_id, recipient } = message;
    const hasOptedOut = is_opted_out === true || reported.toLowerCase() === 'unsubscribe';
    if (hasOptedOut && channel === 'email' && borrower_id && recipient)
      await markEmailStatus(work, borrower_id, recipient, 'unsubscribed');
    const is_click = /^click(ed)?$/i.test(reported);
    const isSecondLook = is_click && message.status === 'opened';
    const status = isSecondLook ? 'opened' : advanceStatus(message.status, reported);
    if (!status) continue;
    // A repeated report does not change the status, so it cannot undo a later START.
    if (hasOptedOut && channel === 'sms' && recipient)
      await recordProviderOptOut(work, recipient, error_code);
    const at = parseTimestamp(timestamp);
    const [code, why] = [error_code ?? null, error_message ?? null];
    await inbound.applyReport(tx, message.id, { status, is_click, at, code, message: why });
    const isLost = status === 'bounced' || status === 'complained';
    if (isLost && channel === 'email' && borrower_id && recipient)
      await markEmailStatus(work, borrower_id, recipient, status);
    changed += 1;
  }
  return { received: reports.length, changed };
}

const EARLIEST_TIMESTAMP = Date.UTC(2000);
const CLOCK_SKEW_MAX_MS = 86_400_000;

/** The provider's timestamp, or null if it is not a plausible time. */
function parseTimestamp(timestamp: string | null | undefined): string | null {
  const moment = Date.parse(timestamp ?? '');
  if (!(moment >= EARLIEST_TIMESTAMP && moment <= Date.now() + CLOCK_SKEW_MAX_MS)) return null;
  return new Date(moment).toISOString();
}

/**
 * Sets the status of an email address with an audit entry. Unsubscribing also revokes the email consent.
 */
async function markEmailStatus(work: Work, borrower_id: string, address: string, status: string) {
  for (const { id, before } of await inbound.setEmailStatus(
    work.tx,
    borrower_id,
    address,
    status,
  )) {
    if (before === status) continue;
    const changes = { status: { old: before, new: status } };
    await recordAudit(asProvider(work), { type: 'emails', id, borrower_id }, 'update', changes);
  }
  if (status === 'unsubscribed')
    await revokeChannelConsents(work, 'email', [borrower_id], address.toLowerCase(), status);
}

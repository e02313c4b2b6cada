import { dictionary } from '../../sql/dictionary.ts';

/** Maps provider statuses to ours. Unknown statuses are ignored. */
const STATUS_OF_REPORT = dictionary<string>({
  queued: 'queued',
  sending: 'queued',
  processed: 'sent',
  deferred: 'queued',
  sent: 'sent',
  delivered: 'delivered',
  open: 'opened',
  opened: 'opened',
  click: 'opened',
  clicked: 'opened',
  undelivered: 'undelivered',
  failed: 'failed',
  dropped: 'failed',
  bounce: 'bounced',
  bounced: 'bounced',
  spamreport: 'complained',
  complained: 'complained',
  unsubscribe: 'opened',
});

/** Reports arrive in any order. A status only moves to a higher rank. */
const STATUS_RANK = dictionary<number>({
  queued: 0,
  sent: 1,
  undelivered: 2,
  failed: 2,
  delivered: 3,
  opened: 4,
  bounced: 5,
  complained: 6,
});

/** The status after a report, or null if nothing changes. */
export function advanceStatus(current: string, reported: string): string | null {
  const status = STATUS_OF_REPORT[reported.toLowerCase()];
  const rank = status === undefined ? undefined : STATUS_RANK[status];
  const now = STATUS_RANK[current];
  if (status === undefined || rank === undefined || now === undefined) return null;
  return rank > now ? status : null;
}

import { expect, test } from 'vitest';
import type { Provider } from '../../jobs/communications/providers/callback.ts';
import { mailgun } from '../../jobs/communications/providers/mailgun.ts';
import { sendgrid } from '../../jobs/communications/providers/sendgrid.ts';
import { DeliveryReports } from '../../jobs/communications/inbound/delivery-reports.ts';

test('an address that SendGrid or Mailgun suppresses is marked like a bounced one', () => {
  const reports = (provider: Provider, events: unknown) =>
    DeliveryReports.parse(provider.reports.parse(events)).map(({ status, is_opted_out }) => [
      status,
      is_opted_out,
    ]);
  const dropped = (reason: string) => ({ event: 'dropped', message: 'm', reason });
  const suppressed = (reason: string) => ({
    'event-data': {
      event: 'failed',
      severity: 'permanent',
      reason,
      message: { headers: { 'message-id': 'm' } },
    },
  });

  const bySendgrid = reports(sendgrid, [
    dropped('Unsubscribed Address'),
    dropped('Spam Reporting Address'),
    dropped('Bounced Address'),
    dropped('Recipient List over Package Quota'),
    { event: 'group_unsubscribe', message: 'm' },
  ]);
  const byMailgun = ['unsubscribe', 'complaint', 'bounce'].flatMap((kind) =>
    reports(mailgun, suppressed(`suppress-${kind}`)),
  );

  expect(bySendgrid).toEqual([
    ['dropped', true],
    ['complained', false],
    ['bounced', false],
    ['dropped', false],
    ['unsubscribe', false],
  ]);
  expect(byMailgun).toEqual([
    ['failed', true],
    ['complained', false],
    ['bounced', false],
  ]);
});

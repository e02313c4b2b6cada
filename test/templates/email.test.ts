import { expect, test } from 'vitest';
import { renderEmail } from '../../templates/email.ts';
import { defaultMessage } from '../../templates/messages.ts';
import { renderMessage } from '../../templates/render-message.ts';
import { cpuTimeMs } from '../setup/cpu-time.ts';
import { letter } from '../../templates/samples.ts';

test('an email carries the message, its sender and a postal address', () => {
  const template = defaultMessage('payment_reminder', 'email', 'en');
  if (!template) throw new Error('The message is missing.');
  const { subject, body } = renderMessage(template, {
    locale: 'en-US',
    borrower: { name: 'Ann & Bob' },
    payment_amount: '315.68',
    due_date: '2026-04-15',
  });

  const html = renderEmail({ language: 'en', subject: subject ?? '', body, tenant: letter.tenant });

  expect(subject).toBe('Your payment of $315.68 is due April 15, 2026');
  expect(html).toContain('Dear Ann &amp; Bob,');
  expect(html).toContain('<strong>$315.68</strong>');
  expect(html).toContain('Harbor &amp; Pine Lending · P.O. Box 4410 · Portland, ME 04101');
});

test('the largest template that can be saved renders quickly', () => {
  const expression = '{{loan.balance|currency(locale)|number|number}}';
  const body = `${expression.repeat(190)}${'x'.repeat(7_000)}`;
  let message = '';

  const spent = cpuTimeMs(() => {
    message = renderMessage({ channel: 'email', body }, { loan: { balance: '1' } }).body;
  });

  expect(message).toContain('$1.00');
  expect(spent).toBeLessThan(500);
});

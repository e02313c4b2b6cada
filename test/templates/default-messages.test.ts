import { expect, test } from 'vitest';
import { checkTemplate } from '../../templates/check-template.ts';
import { defaultMessage, defaultMessages, TEMPLATE_TYPES } from '../../templates/messages.ts';
import { renderMessage } from '../../templates/render-message.ts';

test('every type except custom has a message for email and letter', () => {
  const types = TEMPLATE_TYPES.filter((type) => type !== 'custom');

  const missing = types.filter(
    (type) => !defaultMessage(type, 'email', 'en') || !defaultMessage(type, 'letter', 'es'),
  );

  expect(missing).toEqual([]);
});

test.each(
  defaultMessages().map((message) => [Object.values(message).slice(0, 3).join(' '), message]),
)('the message %s obeys the rules for tenants and renders', (_, message) => {
  if (typeof message === 'string') return;

  const problems = [...checkTemplate(message.subject ?? ''), ...checkTemplate(message.body)];
  const rendered = renderMessage(message, { locale: 'en-US', borrower: { name: 'Ann' } });

  expect(problems).toEqual([]);
  expect(rendered.body).not.toContain('{{');
});

test('a text message in the basic alphabet fits into two segments', () => {
  const data = {
    locale: 'en-US',
    tenant: { name: 'Harbor & Pine Lending' },
    payment_amount: '315.68',
    due_date: '2026-04-15',
    loan: { past_due_amount: '315.68' },
  };

  const texts = ['payment_reminder', 'past_due_notice', 'statement_ready'] as const;
  const lengths = texts.map((type) => {
    const message = defaultMessage(type, 'sms', 'en');
    return message ? renderMessage(message, data).body.length : 0;
  });

  expect(Math.max(...lengths)).toBeLessThan(160);
});

test('every default message exists in Spanish; other languages use English', () => {
  const kindsIn = (spoken: string) =>
    defaultMessages()
      .filter(({ language }) => language === spoken)
      .map(({ template_type, channel }) => `${template_type} ${channel}`)
      .toSorted();
  const reminder = defaultMessage('payment_reminder', 'email', 'es-US');
  const french = defaultMessage('payment_reminder', 'email', 'fr');

  expect(kindsIn('es')).toEqual(kindsIn('en'));
  expect(reminder?.subject).toContain('Su pago');
  expect(french?.language).toBe('en');
});

test('a Spanish message names the same loan values as the English one', () => {
  const namesIn = (text: string) =>
    [...new Set(text.match(/(?<=\{\{ )[a-z_.]+/g))].toSorted().join(' ');
  const whole = ({ subject, body }: { subject: string | null; body: string }) =>
    namesIn(`${subject} ${body}`);

  for (const message of defaultMessages()) {
    if (message.language === 'en') continue;
    const { template_type, channel } = message;
    const english = defaultMessage(template_type, channel, 'en');
    expect(whole(message), `${template_type} ${channel}`).toBe(english && whole(english));
  }
});

test('an email has the same paragraphs in both languages', () => {
  const paragraphs = ({ body }: { body: string }) => body.split('<p>').length;
  for (const message of defaultMessages().filter(({ channel }) => channel === 'email')) {
    const { template_type, channel } = message;
    const english = defaultMessage(template_type, channel, 'en');
    expect([template_type, paragraphs(message)]).toEqual([
      template_type,
      paragraphs(english ?? message),
    ]);
  }
});

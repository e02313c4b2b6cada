import { expect, test } from 'vitest';
import { renderMessage } from '../../templates/render-message.ts';

const data = {
  locale: 'en-US',
  borrower: { name: '<script>alert("x")</script> O\'Neil' },
  payment_amount: '1234.50',
  due_date: '2026-03-01',
  loan: { rate: '0.085' },
};

test('a letter escapes a borrower’s name, and a text message shows it unchanged', () => {
  const body = 'Dear {{ borrower.name }}: {{ payment_amount | currency(locale) }}';

  const email = renderMessage({ channel: 'email', subject: 'Hi {{ borrower.name }}', body }, data);
  const sms = renderMessage({ channel: 'sms', body }, data);

  expect(email.body).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;');
  expect(email.body).toContain('$1,234.50');
  expect(email.subject).toBe('Hi <script>alert("x")</script> O\'Neil');
  expect(sms.body).toBe('Dear <script>alert("x")</script> O\'Neil: $1,234.50');
});

test('a value is never interpreted as a template', () => {
  const name = '{{loan.rate}} {{constructor}}';

  const message = renderMessage(
    { channel: 'sms', body: '{{borrower.name}}' },
    { ...data, borrower: { name } },
  );

  expect(message.body).toBe(name);
});

test('line breaks and direction marks cannot leave a subject', () => {
  const name = 'Ann\r\nBcc: eve@example.com\u202e\u0000';

  const message = renderMessage(
    { channel: 'email', subject: 'Hello {{ borrower.name }}', body: 'x' },
    { borrower: { name } },
  );

  expect(message.subject).toBe('Hello Ann Bcc: eve@example.com');
});

test('missing values are empty, and prototypes cannot be reached', () => {
  const body = '[{{ borrower.email }}{{ context.toString }}{{ due_date | date(locale) }}]';

  const check = () => renderMessage({ channel: 'sms', body }, {});
  const message = renderMessage(
    { channel: 'sms', body: '[{{ borrower.email }}{{ borrower }}{{ due_date | date(locale) }}]' },
    { borrower: { name: 'Ann' } },
  );

  expect(check).toThrow('There is no value “context.toString”.');
  expect(message.body).toBe('[]');
});

test('a tenant’s HTML keeps its paragraphs and loses its scripts', () => {
  const body =
    '<p onclick="x()" style="color: red">Hi</p><iframe src="javascript:alert(1)"></iframe>' +
    '<a href="javascript:alert(1)">a</a><a href="https://bank.test/?a=1">b</a><svg onload=x>';

  const message = renderMessage({ channel: 'letter', body }, {});

  expect(message.body).toBe(
    '<p style="color: red">Hi</p><a>a</a><a href="https://bank.test/?a=1">b</a>',
  );
});

test('plain text becomes paragraphs in a letter', () => {
  const message = renderMessage({ channel: 'email', body: 'One\ntwo\n\nThree' }, {});

  expect(message.body).toBe('<p>One<br>two</p>\n<p>Three</p>');
});

test('a message that is too long for its channel is refused', () => {
  const body = '{{ context.text }}'.repeat(100);

  const render = () =>
    renderMessage({ channel: 'sms', body }, { context: { text: 'x'.repeat(99) } });

  expect(render).toThrow('longer than 1600 characters');
});

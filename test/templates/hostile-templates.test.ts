import { expect, test } from 'vitest';
import { checkTemplate } from '../../templates/check-template.ts';
import { renderEmail } from '../../templates/email.ts';
import { renderMessage, TemplateRefused } from '../../templates/render-message.ts';
import { plainText } from '../../workers/outside/plain-text.ts';
import { isSlow } from '../setup/cpu-time.ts';

const BODY_BYTES_MAX = 1_048_576;
const SOURCE_BYTES_MAX = 16_384;
/** A slow machine needs half of this for the largest input. Quadratic code needs seconds. */
const LIMIT_MS = 400;

/** Repeated, after an opening tag or nothing. */
const OPENINGS = ['', '<p>', '<a ', '{{', '{{#if loan.rate}}'];
const WORDS = [
  'x',
  '<',
  '<a',
  '<a ',
  '<a x="',
  "<a x='",
  '<a b=c ',
  'a=b ',
  '=',
  '"',
  '&',
  '&#',
  '\\',
  ' ',
  '\n',
  ' \n',
  '<b>',
  '</b>',
  '<b></i>',
  '<p>',
  '<br>',
  '<table><tr><td>',
  '<li>',
  '</',
  '</p ',
  '<!--',
  '<![CDATA[',
  '<?',
  '<script',
  '</script',
  '<style>',
  '<svg><p>',
  '<title>',
  '<option>',
  '<p style="',
  '<p style="a:b;',
  '<a href="https://x">',
  '<a href="',
  '<img src="data:,',
  '{{',
  '}}',
  '{{}}',
  '{{{',
  '{{!',
  '{{!x}}',
  '{{!--',
  '--}}',
  '{{a',
  '{{loan.rate',
  '{{#',
  '{{/if}}',
  '{{#if loan.rate}}',
  '{{else}}',
  '{{#if loan.rate}}{{/if}}',
  '{{loan.rate}}',
  '{{loan.rate|number}}',
  '|',
  ' | number',
  ' | number(',
  '(',
  'a.',
  '{{context.a}}',
  '{{context.a | date(context.b)}}',
];
const LONG = [
  `{{ ${'a.'.repeat(8_000)}b }}`,
  `{{ loan.rate ${'| number '.repeat(1_800)} }}`,
  `{{ loan.rate | number(${'"'.repeat(16_000)}) }}`,
  `{{#if ${' '.repeat(16_000)} }}`,
  `{{#${'if'.repeat(8_000)} }}`,
  `<${'a'.repeat(16_000)}`,
  `<a ${Array.from({ length: 2_000 }, (_, index) => `a${index}=1`).join(' ')}>`,
  `${'<b>'.repeat(2_700)}${'</i>'.repeat(2_000)}`,
  '{{ context.a | currency(locale) | number | date | percent }}'.repeat(200),
  '{{ context.a }}'.repeat(200),
  ...['number', 'date'].map((filter) =>
    Array.from({ length: 200 }, (_, index) => `{{context.d|${filter}("en-x-a${index}")}}`).join(''),
  ),
];
const repeated = (length: number) =>
  OPENINGS.flatMap((opening) =>
    WORDS.map((word) => (opening + word.repeat(length / word.length)).slice(0, length)),
  );

const values = {
  locale: 'en-US',
  borrower: { name: '<b>'.repeat(5_000) },
  loan: { rate: '0.085' },
  context: { a: '"<'.repeat(8_000), b: 'en-'.repeat(4_000), d: '2026-01-31' },
};

/** The steps of a preview, and of a message until it is sent. */
function makeMail(channel: 'email' | 'sms', body: string) {
  if (checkTemplate(body).length > 0) return;
  try {
    const message = renderMessage({ channel, subject: body, body }, values);
    const tenant = { name: 'Harbor', branding: {} };
    plainText(renderEmail({ language: 'en', subject: 'x', body: message.body, tenant }));
  } catch (error) {
    if (!(error instanceof TemplateRefused)) throw error;
  }
}

const slowOf = (texts: readonly string[], work: (text: string) => unknown) =>
  texts.filter((text) => isSlow(LIMIT_MS, () => work(text))).map((text) => text.slice(0, 80));

test.each(['email', 'sms'] as const)(
  'the largest templates are rendered quickly: %s',
  (channel) => {
    const templates = [...repeated(SOURCE_BYTES_MAX), ...LONG.map((text) => text.slice(0, 16_384))];

    const slow = slowOf(templates, (body) => makeMail(channel, body));

    expect(slow).toEqual([]);
  },
  120_000,
);

test('a template as large as a request is refused quickly', () => {
  const slow = slowOf(repeated(BODY_BYTES_MAX), (text) =>
    expect(checkTemplate(text)).toHaveLength(1),
  );

  expect(slow).toEqual([]);
}, 60_000);

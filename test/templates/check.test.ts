import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkTemplate } from '../../templates/check-template.ts';
import { renderMessage } from '../../templates/render-message.ts';
import { isSlow } from '../setup/cpu-time.ts';

test.each([
  'Dear {{ borrower.name }}, {{ payment_amount | currency(locale) }} is due {{ due_date | date(locale) }}.',
  '{{loan.rate|percent}} {{ loan.balance | number("es-US") | number(locale) }}',
  '{{#if loan.past_due_amount}}Past due{{else}}Thank you{{/if}}{{#unless loan.status}}-{{/unless}}',
  '{{! a note }}{{!-- with {{ braces }} inside --}}{{ context.reference }} }} text',
  '',
])('a template within the rules can be saved: %s', (source) => {
  const problems = checkTemplate(source);

  expect(problems).toEqual([]);
});

test.each([
  ['{{constructor}}', 1, 1],
  ['a\n  {{#with "s" as |t|}}{{/with}}', 2, 3],
  ['{{lookup this "__proto__"}}', 1, 1],
  ['{{@root.constructor}}', 1, 1],
  ['{{helperMissing}}', 1, 1],
  ['{{context.__defineGetter__}}', 1, 1],
  ['{{context.constructor.constructor}}', 1, 1],
  ['{{{ borrower.name }}}', 1, 1],
  ['{{& borrower.name }}', 1, 1],
  ['{{> layout}}', 1, 1],
  ['{{#each borrower}}{{/each}}', 1, 1],
  ['{{#if loan.status}}{{else if loan.rate}}{{/if}}', 1, 20],
  ['{{#if loan.status}}', 1, 1],
  ['{{/if}}', 1, 1],
  ['{{else}}', 1, 1],
  ['Hi \\{{ borrower.name }}', 1, 5],
  ['{{ borrower.password_hash }}', 1, 1],
  ['{{ loan.balance | shell }}', 1, 1],
  ['{{ loan.balance | currency(borrower.constructor) }}', 1, 1],
  ['{{ loan.balance | currency(locale, "USD") }}', 1, 1],
  ['{{ context.a.b.c.d }}', 1, 1],
  ['{{ borrower.name', 1, 1],
  ['{{!-- open', 1, 1],
  ['{{~ borrower.name ~}}', 1, 1],
  ['{{ borrower.[name] }}', 1, 1],
  ['{{ ../borrower.name }}', 1, 1],
  ['{{as_currency loan.balance}}', 1, 1],
])('%s is refused with its position', (source, line, column) => {
  const [problem] = checkTemplate(source);

  expect(problem).toMatchObject({ line, column });
});

test('an object, a large text and thousands of braces are refused quickly', () => {
  const floods = [
    { type: 'Program', body: [] },
    ['{{ borrower.name }}'],
    'x'.repeat(1_000_000),
    '{{'.repeat(8_000),
    '{{loan.rate}}'.repeat(201),
    `{{ ${'a.'.repeat(1_000)}b }}`,
    '{{#if loan.rate}}'.repeat(5) + '{{/if}}'.repeat(5),
  ];
  let refusals: unknown[][] = [];

  const tooSlow = isSlow(200, () => {
    refusals = floods.map((flood) => checkTemplate(flood));
  });

  expect(refusals.filter((problems) => problems.length === 0)).toEqual([]);
  expect(tooSlow).toBe(false);
});

test('every template that passes the check renders only values and its own text', () => {
  const pieces =
    '{{ }} {{{ } {{!x}} {{else}} {{/if}} borrower.name constructor #if /if else | ! -- date(locale) @root ../ this [ " ' +
    'text \\ & > loan.rate';
  const piece = fc.constantFrom(' ', ...pieces.split(' '));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (chosen) => {
      const source = chosen.join('');

      const mayBeSaved = checkTemplate(source).length === 0;
      const message = mayBeSaved
        ? renderMessage({ channel: 'sms', body: source }, { borrower: { name: 'Ann' } })
        : null;

      expect(message?.body ?? '').not.toContain('function');
    }),
    { numRuns: 3_000 },
  );
});

test('braces after a value or a condition are plain text', () => {
  const data = { borrower: { name: 'Ann' } };
  const sources = [
    '{{borrower.name}}}',
    '{{borrower.name}}}}',
    '{{borrower.name}}{{!x}}}}',
    '{{#if borrower.name}}} {{else}}} {{/if}}}',
  ];

  expect(sources.map((source) => checkTemplate(source))).toEqual([[], [], [], []]);
  expect(sources.map((body) => renderMessage({ channel: 'sms', body }, data).body)).toEqual([
    'Ann}',
    'Ann}}',
    'Ann}}',
    '} }',
  ]);
});

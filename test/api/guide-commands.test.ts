import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { findMismatch, newMemory } from '../setup/guide-answers.ts';
import { parseGuide, runGuide, type Guide } from '../setup/guides.ts';
import { seedDatabase, startPlatform } from '../setup/seeded-platform.ts';

const FOLDER = new URL('../../templates/guides/', import.meta.url);
const guides = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.md'))
  .map((file) => ({ file, ...parseGuide(readFileSync(new URL(file, FOLDER), 'utf8')) }));

/** Runs only these guides, such as GUIDES=first-loan,lists. */
const chosen = process.env['GUIDES']?.split(',').map((name) => `${name}.md`);
const seeded = await seedDatabase();
afterAll(() => seeded.drop());

test.each(guides.filter(({ file }) => !chosen || chosen.includes(file)))(
  'every command of the guide $file prints what the guide says',
  async (guide) => {
    const platform = await startPlatform(seeded);
    onTestFinished(platform.stop);

    const mistakes = await runGuide(guide, { port: platform.port, env: platform.variables });

    expect(guide.problems).toEqual([]);
    expect(mistakes.join('\n\n')).toBe('');
  },
  300_000,
);

test('a guide that moves the date and charges fees can be run again', async () => {
  const platform = await startPlatform(seeded);
  onTestFinished(platform.stop);
  const [guide] = guides.filter(({ file }) => file === 'bounced-payment.md');
  const { port, variables: env } = platform;
  const run = (isExact: boolean) => runGuide(guide as Guide, { port, env, isExact });

  const mistakes = [...(await run(true)), ...(await run(false))];

  expect(mistakes.join('\n\n')).toBe('');
}, 300_000);

test('the first guide works on the last day of a month as well', async () => {
  const other = await seedDatabase('2030-01-31');
  const platform = await startPlatform(other);
  onTestFinished(async () => {
    await platform.stop();
    await other.drop();
  });
  const [guide] = guides.filter(({ file }) => file === 'first-loan.md');

  const { port, variables: env } = platform;
  const mistakes = await runGuide(guide as Guide, { port, env, isExact: false });

  expect(mistakes.join('\n\n')).toBe('');
}, 300_000);

test('helper functions that several guides define are the same everywhere', () => {
  const definitions = guides.flatMap(({ file, parts }) =>
    parts.flatMap((part) =>
      'commands' in part
        ? [...part.commands.matchAll(/^(\w+)\(\) \{.*?(?:^\}| \})$/gms)].map(([text, name]) => ({
            file,
            name,
            text,
          }))
        : [],
    ),
  );
  const byName = Map.groupBy(definitions, ({ name }) => name);

  for (const [name, same] of byName)
    expect([name, [...new Set(same.map(({ text }) => text))]]).toEqual([name, [same[0]?.text]]);
});

test('a guide cannot contain an answer without commands or a block that nothing checks', () => {
  const guide = parseGuide(
    [
      '# T',
      '```bash',
      'ls',
      '```',
      'Text.',
      '```json',
      '{}',
      '```',
      '```rust',
      '```',
      '```sh',
    ].join('\n'),
  );

  expect(guide.problems).toEqual([
    'line 11: the block does not end',
    'line 6: an answer must follow its commands directly',
    'line 9: nothing checks a block of the language "rust"',
    'line 11: nothing checks a block of the language "sh"',
  ]);
});

const ID = (digit: number) => `${digit}`.repeat(8) + '-0000-4000-8000-000000000000';
const json = (text: string) => ({ language: 'json', text }) as const;
const lines = (text: string) => ({ language: 'text', text }) as const;

test.each([
  [null, 'Denied', 'the guide says that it prints nothing'],
  [json('{"a": 1}'), '{"a": 2}', 'a is 2, in the guide 1'],
  [json('{"a": "1.00"}'), '{"a": "1.00", "b": 1}', 'the guide lacks b'],
  [json('{"a": "1.00"}'), '{"b": 1}', 'a is missing'],
  [json('[{"a": 1}]'), '[{"a": 1}, 2]', 'the answer is [{"a":1},2], in the guide [{"a":1}]'],
  [json(`["${ID(1)}", "${ID(1)}"]`), `["${ID(2)}", "${ID(3)}"]`, /^\[1\] is/],
  [json('{"on": "2030-01-15"}'), '{"on": "2030-01-16"}', /^on is/],
  [json('{}'), 'Not found', 'it did not print JSON'],
  [lines('one'), 'one\ntwo', 'the guide lacks the line "two"'],
  [lines('…\ntwo'), 'one\nthree', 'the line "two" is missing, or not where the guide has it'],
])('the answer %j does not fit %j', (wanted, printed, mismatch) => {
  expect(findMismatch(wanted, printed, newMemory())).toEqual(
    typeof mismatch === 'string' ? mismatch : expect.stringMatching(mismatch),
  );
});

test.each([
  [null, '\n'],
  [json('{"a": "…", "…": "…"}'), '{"a": [1], "b": 1, "c": 2}'],
  [json('[1, "…"]'), '[1, 2, 3]'],
  [json(`["${ID(1)}", "${ID(1)}"]`), `["${ID(2)}", "${ID(2)}"]`],
  [json('"2030-01-15T08:00:00.000Z"'), '"2026-11-27T01:02:03.456Z"'],
  [lines('HTTP/1.1 200 OK\n…\nETag: "…"\n…'), 'HTTP/1.1 200 OK\nA: 1\nETag: "x"\nB: 2'],
])('the answer %j fits %j', (wanted, printed) => {
  expect(findMismatch(wanted, printed, newMemory())).toBeNull();
});

import { expect, test } from 'vitest';
import type { DocumentData, DocumentName } from '../../templates/documents.ts';
import { renderDocument } from '../../templates/render-document.ts';
import * as shown from '../../templates/samples.ts';
import { form1099c, lineOpening, plainLetter, tila } from './samples.ts';

const { statement, adverse, payoff } = shown;
const SAMPLES: { [Name in DocumentName]: DocumentData[Name] } = {
  monthly_statement: statement,
  tila_disclosure: tila,
  account_opening_disclosure: lineOpening,
  adverse_action_notice: adverse,
  payoff_letter: payoff,
  form_1099c: form1099c,
  letter: plainLetter,
};
const documents = Object.entries(SAMPLES).flatMap(([name, data]) =>
  ['en', 'es'].map((language) => ({ name: name as DocumentName, language, data })),
);

/** Copies of the data with one value removed from each, and the path of that value. */
function withoutOne(data: object, path = ''): [string, object][] {
  return Object.entries(data).flatMap(([key, value]) => {
    const here = `${path}${key}`;
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
    const nothing = Array.isArray(value) ? [] : null;
    const inside = isGroup
      ? withoutOne(value as object, `${here}.`).map(
          ([name, changed]) => [name, { ...data, [key]: changed }] as [string, object],
        )
      : [];
    return [[here, { ...data, [key]: nothing }] as [string, object], ...inside];
  });
}

const HEADING = /<h[12][^>]*>([\s\S]*?)<\/h[12]>/g;

/** Headings without content, and list items and bold text that are empty. */
function holesIn(html: string): string[] {
  const body = html.slice(html.indexOf('<body'));
  const parts = body.split(HEADING);
  const headings = parts.filter((_, index) => index % 2 === 1);
  const below = parts.filter((_, index) => index > 0 && index % 2 === 0);
  const empty = headings.filter((_, index) => below[index]?.replace(/<[^>]*>/g, '').trim() === '');
  return [...empty, ...(body.match(/<(li|strong|dd)[^>]*>\s*<\/\1>/g) ?? [])];
}

test.each(documents)(
  'the $name in $language has no empty section when any value is missing',
  ({ name, language, data }) => {
    const render = (given: object) =>
      renderDocument(name, language, given as DocumentData[typeof name]);
    const printed = (given: object) => {
      try {
        return render(given);
      } catch (error) {
        expect(String(error)).toMatch(/ lacks |Cannot read|not iterable|undefined/);
        return '';
      }
    };

    const holes = withoutOne(data).flatMap(([missing, given]) =>
      holesIn(printed(given)).map((hole) => `${missing}: ${hole}`),
    );

    expect(holesIn(render(data))).toEqual([]);
    expect(holes).toEqual([]);
  },
);

test('a notice without reasons is printed only with how to request them', () => {
  const nothing = { ...adverse, reasons: [] };
  const render = (data: DocumentData['adverse_action_notice']) =>
    renderDocument('adverse_action_notice', 'en', data);

  expect(() => render(nothing)).toThrow('The adverse_action_notice lacks reasons.');
  expect(() =>
    render({ ...adverse, credit_score: { ...adverse.credit_score!, key_factors: [] } }),
  ).toThrow('credit_score.key_factors');
  expect(render({ ...nothing, reasons_on_request: true })).toContain(
    'Your right to know our reasons',
  );
});

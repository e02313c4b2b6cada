import { expect, test } from 'vitest';
import { renderDocument } from '../../templates/render-document.ts';
import { statement } from '../../templates/samples.ts';
import { plainLetter } from './samples.ts';

test('a statement shows the age of the oldest unpaid payment, not of the whole past due amount', () => {
  const due = { ...statement.due, past_due: '734.37', days_past_due: 76 };

  const html = renderDocument('monthly_statement', 'en', { ...statement, due });

  expect(html).toContain('$734.37 of earlier payments is unpaid.');
  expect(html).toContain('The oldest unpaid payment was due 76 days ago.');
});

test('a printed letter shows addresses instead of links, and no secret keys', () => {
  const body_html =
    '<p><a href="https://my.lender.example/portal">Sign in</a> to pay, or read ' +
    '<a href="https://my.lender.example/files?key=secret">your statement</a>.</p>';

  const html = renderDocument('letter', 'en', { ...plainLetter, body_html });

  expect(html).toContain(
    'Sign in (https://my.lender.example/portal) to pay, or read your statement.',
  );
  expect(html).not.toMatch(/<a[ >]|secret/);
});

import { expect, test } from 'vitest';
import { filters } from '../../templates/filters.ts';

test.each([
  ['currency', '12345678901234567.89', 'en-US', '$12,345,678,901,234,567.89'],
  ['currency', '-5', 'en-US', '-$5.00'],
  ['currency', '1234.5', 'es-US', '$1,234.50'],
  ['currency', '1234.5', 'de-DE', '1.234,50 $'],
  ['percent', '0.085', 'en-US', '8.50%'],
  ['percent', '0.06625', 'en-US', '6.625%'],
  ['percent', '0.1', 'de-DE', '10,00 %'],
  ['number', '1234.5678', 'en-US', '1,234.5678'],
  ['number', '360', 'fr-FR', '360'],
  ['date', '2026-03-01', 'en-US', 'March 1, 2026'],
  ['date', '2026-03-01', 'es-US', '1 de marzo de 2026'],
  ['short_date', '2026-03-01', 'en-US', '03/01/2026'],
  ['currency', 'n/a', 'en-US', 'n/a'],
  ['currency', '', 'en-US', ''],
  ['date', '', 'en-US', ''],
  ['currency', '1.00', 'no such locale', '$1.00'],
])('%s of %s in %s is %s', (name, value, locale, text) => {
  const printed = filters[name]?.(value, { locale });

  expect(printed).toBe(text);
});

test('a missing value, an object and a list print as nothing', () => {
  const printed = [undefined, null, {}, [1]].map((value) => filters['currency']?.(value, {}));

  expect(printed).toEqual(['', '', '', '']);
});

test('an instant prints as the date in the tenant’s time zone', () => {
  const printed = filters['date']?.('2026-03-01T03:00:00Z', { time_zone: 'America/New_York' });

  expect(printed).toBe('February 28, 2026');
});

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import type { Route } from '../../api/endpoints/route.ts';
import { routes } from '../../api/routes.ts';
import { ALERTS } from '../../templates/alerts.ts';
import { problemTexts } from '../../templates/portal/problems.ts';
import { tenantStylesheet } from '../../templates/portal/stylesheet.ts';
import { hasPhrase, matchLanguage } from '../../templates/portal/words.ts';

const folder = new URL('../../templates/portal/pages/', import.meta.url);
const pages = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));
const text = pages.join('\n');
const found = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, key = '']) => key);

const shapeOf = (route: Route | undefined) =>
  (route?.reply as z.ZodObject | undefined)?.shape ?? {};

/** The values that an endpoint declares for a field of its answer. */
function valuesOf(endpoint: string, field: string): string[] {
  const route = routes.find(({ method, path }) => `${method} ${path}` === endpoint);
  const { [field]: schema } = shapeOf(route);
  for (let type = schema as { options?: string[]; unwrap?: () => unknown }; ;) {
    if (type.options) return type.options;
    type = type.unwrap?.() as typeof type;
  }
}

test('every text of a page exists in all languages', () => {
  const named = [
    ...found(/\bt '([\w./]+)'/g),
    ...found(/\bhint='([\w.]+)'/g),
    ...found(/\bempty='([\w.]+)'/g),
    ...found(/> (?:field|area|choice|tick) name='(\w+)'/g).map((name) => `field.${name}`),
  ];

  expect(named.length).toBeGreaterThan(150);
  expect(named.filter((key) => !hasPhrase(key))).toEqual([]);
});

test.each([
  ['loan_status', 'GET /portal/loans/{id}', 'status'],
  ['frequency', 'GET /portal/loans/{id}', 'payment_frequency'],
  ['payment_status', 'GET /portal/loans/{id}/payments', 'status'],
  ['document_type', 'GET /portal/documents', 'document_type'],
  ['document_status', 'GET /portal/documents', 'status'],
  ['case_type', 'GET /portal/support/cases', 'case_type'],
  ['case_status', 'GET /portal/support/cases', 'status'],
  ['hardship_type', 'GET /portal/hardship', 'hardship_type'],
  ['hardship_status', 'GET /portal/hardship', 'status'],
  ['requested_action', 'GET /portal/hardship', 'requested_action'],
])('every value of %s has a label', (kind, endpoint, field) => {
  const values = valuesOf(endpoint, field);

  expect(values.length).toBeGreaterThan(2);
  expect(values.filter((value) => !hasPhrase(`${kind}.${value}`))).toEqual([]);
});

test('every alert has a link', () => {
  expect(ALERTS.filter((type) => !hasPhrase(`alert_link.${type}`))).toEqual([]);
});

test('the first supported language of the request is used', () => {
  expect(matchLanguage(['de', 'es-MX', 'en'])).toBe('es');
  expect(matchLanguage(['*'])).toBeNull();
});

test('a field error is in Spanish with its limits, or asks to check the field', () => {
  const problems = {
    code: 'validation_error',
    message: 'Validation failed.',
    details: {},
    errors: {
      subject: 'Must be at most 10,000 characters.',
      amount: 'Must be an amount like "1234.56".',
      payment_date: 'Must be a date like 2026-01-31.',
      city: 'Must rhyme.',
    },
  };

  const { errors } = problemTexts(problems, { language: 'es', locale: 'en-US', currency: 'USD' });

  expect(errors).toEqual({
    subject: 'Es demasiado largo: caben 10,000 caracteres.',
    amount: 'Debe ser un monto como 1234.56.',
    payment_date: 'Debe ser una fecha.',
    city: 'Revise este dato.',
  });
});

test.each(['#ffff00', '#ffffff', '#000000', '#1f3a5f', '#ff6600', '#7f7f7f'])(
  'a tenant whose color is %s has readable pages',
  (primary_color) => {
    const { text: css } = tenantStylesheet({ primary_color, secondary_color: '#5f7d9c' });
    const [, brand = '', onBrand = '', ink = ''] =
      /--brand:(\S+?);--on-brand:(\S+?);--ink:(\S+?);/.exec(css) ?? [];

    expect(contrast(brand, onBrand)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(ink, '#f4f6f8')).toBeGreaterThanOrEqual(4.5);
    expect(contrast(ink, '#ffffff')).toBeGreaterThanOrEqual(4.5);
  },
);

/** Contrast ratio by WCAG 2.2. Deliberately shares no code with the application. */
function contrast(one: string, other: string): number {
  const light = (color: string) =>
    [0.2126, 0.7152, 0.0722].reduce((sum, share, at) => {
      const part = Number.parseInt(color.slice(1 + at * 2, 3 + at * 2), 16) / 255;
      return sum + share * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    }, 0);
  const [low = 0, high = 0] = [light(one), light(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

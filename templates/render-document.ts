import { readdirSync, readFileSync } from 'node:fs';
import { isolatedData } from './clean-data.ts';
import type { DocumentData, DocumentName } from './documents.ts';
import { expressionToHandlebars, readExpression } from './expressions.ts';
import { cssText, fontFaces, inkColor, embeddedLogo } from './letterhead.ts';
import { newEngine } from './render-message.ts';
import { formatPhone } from './phone-numbers.ts';
import { missingParts } from './required-parts.ts';
import { sanitize, withoutLinks } from './sanitize.ts';
import { renderWording } from './wordings.ts';

/** A longer document is refused before the browser spends time on it. */
const OUTPUT_BYTES_MAX = 2 * 1024 * 1024;
const FOLDER = new URL('./', import.meta.url);
const PAGE_WORDS = new Map([
  ['en', { page: 'Page', of: 'of', loan: 'Loan' }],
  ['es', { page: 'Página', of: 'de', loan: 'Préstamo' }],
]);

const languages = new Map<string, Map<string, HandlebarsTemplateDelegate>>();

/**
 * Renders one of our documents as a self-contained HTML page with embedded fonts, style and logo. A
 * language without a version of the document falls back to English. Throws if a part that the law requires
 * is missing.
 */
export function renderDocument<Name extends DocumentName>(
  name: Name,
  language: string,
  content: DocumentData[Name],
): string {
  const data = withFormattedPhones(content);
  const textLanguage = documentLanguage(name, language);
  const template = documentsIn(textLanguage).get(name);
  if (!template) throw new Error(`There is no document ${name}.`);
  const missing = missingParts(name, data);
  if (missing.length > 0) throw new Error(`The ${name} lacks ${missing.join(', ')}.`);
  const { tenant, loan_number, locale } = data;
  const words = PAGE_WORDS.get(textLanguage) ?? { page: '', of: '/', loan: '' };
  const values = Object.assign({}, isolatedData(data), {
    language: textLanguage,
    locale: documentLocale(textLanguage, locale),
    fonts: fontFaces(),
    ink: inkColor(tenant.branding.primary_color),
    logo: embeddedLogo(tenant.branding.logo_url),
    page_word: cssText(`${words.page} `),
    of_word: cssText(` ${words.of} `),
    footer: cssText(`${tenant.name} · ${words.loan} ${loan_number}`),
    ...renderWording(name, documentLocale(textLanguage, locale), data),
    ...('body_html' in data && { body_html: withoutLinks(sanitize(data.body_html)) }),
  });
  const html = template(values);
  if (html.length > OUTPUT_BYTES_MAX) throw new Error(`The document ${name} is too long.`);
  return html;
}

/** Returns the data with phone numbers in the form in which they are printed. */
function withFormattedPhones<Data extends DocumentData[DocumentName]>(data: Data): Data {
  const branding = data.tenant.branding;
  const support_phone = branding.support_phone && formatPhone(branding.support_phone);
  return Object.assign({}, data, {
    tenant: { ...data.tenant, branding: { ...branding, support_phone } },
    ...('credit_bureau' in data &&
      data.credit_bureau && {
        credit_bureau: { ...data.credit_bureau, phone: formatPhone(data.credit_bureau.phone) },
      }),
    ...('creditor_phone' in data &&
      data.creditor_phone && { creditor_phone: formatPhone(data.creditor_phone) }),
  });
}

/** The language in which the document is rendered. */
export function documentLanguage(name: DocumentName, language: string): string {
  const wanted = language.slice(0, 2).toLowerCase();
  return PAGE_WORDS.has(wanted) && wanted !== 'en' && namesIn(`documents/${wanted}/`).includes(name)
    ? wanted
    : 'en';
}

/**
 * Combines the language with the tenant's region: Spanish for a US tenant is es-US, so dollars keep their
 * US format.
 */
export function documentLocale(language: string, locale: string): string {
  if (locale.slice(0, 2).toLowerCase() === language) return locale;
  const region = /[-_]([A-Z]{2})\b/.exec(locale)?.[1] ?? 'US';
  return `${language}-${region}`;
}

function documentsIn(language: string): Map<string, HandlebarsTemplateDelegate> {
  const known = languages.get(language);
  if (known) return known;
  const engine = newEngine();
  engine.registerHelper('positive', isPositive);
  engine.registerHelper('once', (value: unknown) => String(value) === '1');
  engine.registerPartial('layout', source('layout.html'));
  const variant = language === 'en' ? [] : [`${language}/`];
  for (const folder of ['', ...variant]) {
    for (const name of namesIn(`partials/${folder}`)) {
      engine.registerPartial(name, source(`partials/${folder}${name}.html`));
    }
  }
  const folder = `documents/${variant.join('')}`;
  const documents = new Map(
    namesIn(folder).map((name) => [name, engine.compile(source(`${folder}${name}.html`))]),
  );
  languages.set(language, documents);
  return documents;
}

function namesIn(folder: string): string[] {
  return readdirSync(new URL(folder, FOLDER), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.html'))
    .map((entry) => entry.name.slice(0, -'.html'.length));
}

/** Reads one of our template files and translates its pipe filters to helper calls. */
function source(path: string): string {
  const text = readFileSync(new URL(path, FOLDER), 'utf8');
  return text.replace(/\{\{([^#/>!{}][^{}]*)\}\}/g, (whole, inner: string) => {
    if (!inner.includes('|')) return whole;
    const expression = readExpression(inner.trim());
    if (typeof expression === 'string') throw new Error(`${path}: ${expression}`);
    return `{{${expressionToHandlebars(expression)}}}`;
  });
}

/** Says whether a decimal string is above zero. In JavaScript '0.00' is truthy. */
export function isPositive(value: unknown): boolean {
  return typeof value === 'string' && /[1-9]/.test(value) && !value.startsWith('-');
}

import { readdirSync, readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import { filters, type Setting } from '../filters.ts';
import { documentLocale, isPositive } from '../render-document.ts';
import { hasPhrase, LANGUAGES, phrase, type Language } from './words.ts';

/** What every page is rendered with, beside what is its own. */
export type PageFrame = {
  language: Language;
  tenant: { locale: string; currency: string; time_zone: string };
  values: Readonly<Record<string, string>>;
  problems: { summary: string | null; errors: Readonly<Record<string, string>> } | null;
  notice: string | undefined;
  [more: string]: unknown;
};

type Options = Handlebars.HelperOptions;

const FOLDER = new URL('./pages/', import.meta.url);
const engine = Handlebars.create();
let templates: Map<string, HandlebarsTemplateDelegate> | undefined;

/** A page of the portal. Every value is escaped: only the code that an app reads is a picture of ours. */
export function renderPage(name: string, data: PageFrame): string {
  templates ??= readTemplates();
  const template = templates.get(name);
  if (!template) throw new Error(`There is no page ${name}.`);
  const { notice, language, tenant } = data;
  return template({
    ...data,
    page: name,
    notice: notice !== undefined && hasPhrase(`done.${notice}`) ? `done.${notice}` : null,
    others: LANGUAGES.filter((other) => other !== language),
    locale: documentLocale(language, tenant.locale),
    currency: tenant.currency,
    time_zone: tenant.time_zone,
  });
}

function readTemplates() {
  for (const [name, helper] of Object.entries(helpers)) engine.registerHelper(name, helper);
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.html'));
  const named = files.map((file) => [file.slice(0, -'.html'.length), textOf(file)] as const);
  for (const [name, text] of named) engine.registerPartial(name, text);
  return new Map(named.map(([name, text]) => [name, engine.compile(text)]));
}

const textOf = (file: string) => readFileSync(new URL(file, FOLDER), 'utf8');

/** The frame, wherever in the page one is. */
const frameOf = ({ data }: Options) => data.root as PageFrame & Setting;

type Refusal = { code: string; status: number };

function refusalWords(kind: string, { code, status }: Refusal, options: Options): string {
  const key = hasPhrase(`${kind}.${code}`) ? `${kind}.${code}` : `${kind}.${status}`;
  return phrase(frameOf(options).language, hasPhrase(key) ? key : `${kind}.500`);
}

const helpers: Record<string, Handlebars.HelperDelegate> = {
  /** Words of the portal, with values put in. */
  t: (key: string, options: Options) => phrase(frameOf(options).language, key, options.hash),
  /** What a value of an enumeration is called. */
  called: (kind: string, value: unknown, options: Options) => {
    const key = `${kind}.${String(value)}`;
    return hasPhrase(key) ? phrase(frameOf(options).language, key) : String(value);
  },
  /** The status of a loan as its borrower knows it: an open loan that is late is past due. */
  loan_standing: (loan: { status: string; past_due_amount?: string }, options: Options) => {
    const isLate = loan.status === 'active' && isPositive(loan.past_due_amount);
    return phrase(frameOf(options).language, `loan_status.${isLate ? 'past_due' : loan.status}`);
  },
  money: (amount: unknown, options: Options) => filters['currency']?.(amount, frameOf(options)),
  rate: (rate: unknown, options: Options) => filters['percent']?.(rate, frameOf(options)),
  day: (date: unknown, options: Options) => filters['date']?.(date, frameOf(options)),
  /** The link that dials a phone number. */
  dial: (phone: unknown) => `tel:${String(phone).replace(/[^\d+]/g, '')}`,
  /** A phone number as people write it: those of ten digits after +1 as (202) 555-0100. */
  phone: (phone: unknown) => String(phone).replace(/^\+1(\d{3})(\d{3})(\d{4})$/, '($1) $2-$3'),
  /** What a refusal is called, by its code where that has words of its own, or else by its status. */
  refused_title: (refusal: Refusal, options: Options) =>
    refusalWords('refused_title', refusal, options),
  refused_what: (refusal: Refusal, options: Options) =>
    refusalWords('refused_what', refusal, options),
  positive: isPositive,
  same: (value: unknown, other: unknown) => value === other,
  any: (rows: unknown) => Array.isArray(rows) && rows.length > 0,
  list_has: (words: string, value: unknown) => words.split(' ').includes(String(value)),
  /** Values to choose from, each with what it is called. */
  choices: (kind: string, ...values: unknown[]) =>
    values.slice(0, -1).map((value) => ({ kind, value })),
  /** What was filled into these is never sent back. */
  hides: (type: unknown, unseen: unknown) => type === 'password' || unseen === true,
  list: (...values: unknown[]) => values.slice(0, -1),
  /** The page of the navigation at an address below /portal. */
  link: (below: string) => below.slice(1),
  /** The ids of what describes a field: its hint, and what is wrong with it. */
  described: (name: string, hint: unknown, options: Options) =>
    [
      ...(typeof hint === 'string' ? [`${name}-hint`] : []),
      ...(frameOf(options).problems?.errors[name] ? [`${name}-error`] : []),
    ].join(' '),
  /** What is wrong with a field, or nothing. */
  wrong: (name: string, options: Options) => frameOf(options).problems?.errors[name],
  /** What was filled in, or is there already. */
  filled: (name: string, there: unknown, options: Options) => {
    const { values } = frameOf(options);
    return Object.hasOwn(values, name) ? values[name] : there;
  },
};

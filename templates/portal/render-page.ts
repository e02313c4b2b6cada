import { readdirSync, readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import { filters, type Setting } from '../filters.ts';
import { formatPhone } from '../phone-numbers.ts';
import { documentLocale, isPositive } from '../render-document.ts';
import { hasPhrase, LANGUAGES, phrase, type Language } from './words.ts';

/** The values that every page needs, in addition to its own. */
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

/** Renders a portal page. All values are escaped, except the QR code for authenticator apps. */
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

/** The frame is the root of the data, so blocks and partials can reach it too. */
const frameOf = ({ data }: Options) => data.root as PageFrame & Setting;

type Refusal = { code: string; status: number };

function refusalPhrase(kind: string, { code, status }: Refusal, options: Options): string {
  const key = hasPhrase(`${kind}.${code}`) ? `${kind}.${code}` : `${kind}.${status}`;
  return phrase(frameOf(options).language, hasPhrase(key) ? key : `${kind}.500`);
}

type Standing = { status: string; past_due_amount?: string; statement_form?: string };

const helpers: Record<string, Handlebars.HelperDelegate> = {
  /** A text of the portal, with values inserted. */
  t: (key: string, options: Options) => phrase(frameOf(options).language, key, options.hash),
  /** The label of an enumeration's value. */
  called: (kind: string, value: unknown, options: Options) => {
    const key = `${kind}.${String(value)}`;
    return hasPhrase(key) ? phrase(frameOf(options).language, key) : String(value);
  },
  /** The loan's status as the borrower sees it: an active loan with a past due amount is past due. */
  loan_standing: (loan: Standing, options: Options) => {
    const isAsked = loan.statement_form !== 'bankruptcy';
    const isLate = loan.status === 'active' && isAsked && isPositive(loan.past_due_amount);
    return phrase(frameOf(options).language, `loan_status.${isLate ? 'past_due' : loan.status}`);
  },
  money: (amount: unknown, options: Options) => filters['currency']?.(amount, frameOf(options)),
  rate: (rate: unknown, options: Options) => filters['percent']?.(rate, frameOf(options)),
  day: (date: unknown, options: Options) => filters['date']?.(date, frameOf(options)),
  dial: (phone: unknown) => `tel:${String(phone).replace(/[^\d+]/g, '')}`,
  phone: (phone: unknown) => formatPhone(String(phone)),
  /**
   * The title of an error page. It depends on the error's code, or on its status if the code has no text.
   */
  refused_title: (refusal: Refusal, options: Options) =>
    refusalPhrase('refused_title', refusal, options),
  refused_what: (refusal: Refusal, options: Options) =>
    refusalPhrase('refused_what', refusal, options),
  positive: isPositive,
  same: (value: unknown, other: unknown) => value === other,
  any: (rows: unknown) => Array.isArray(rows) && rows.length > 0,
  list_has: (words: string, value: unknown) => words.split(' ').includes(String(value)),
  /** The options of a select field. */
  choices: (kind: string, ...values: unknown[]) =>
    values.slice(0, -1).map((value) => ({ kind, value })),
  /** The values of these fields are never sent back to the browser. */
  hides: (type: unknown, unseen: unknown) => type === 'password' || unseen === true,
  list: (...values: unknown[]) => values.slice(0, -1),
  /** The navigation page for a path below /portal. */
  link: (below: string) => below.slice(1),
  /** A name as it appears in a path: amount_due becomes amount-due. */
  dashed: (name: unknown) => String(name).replaceAll('_', '-'),
  /** The ids of a field's hint and error, for aria-describedby. */
  described: (name: string, hint: unknown, options: Options) =>
    [
      ...(typeof hint === 'string' ? [`${name}-hint`] : []),
      ...(frameOf(options).problems?.errors[name] ? [`${name}-error`] : []),
    ].join(' '),
  /** The field's error, if it has one. */
  wrong: (name: string, options: Options) => frameOf(options).problems?.errors[name],
  /** The value that the user entered, or otherwise the stored value. */
  filled: (name: string, there: unknown, options: Options) => {
    const { values } = frameOf(options);
    return Object.hasOwn(values, name) ? values[name] : there;
  },
};

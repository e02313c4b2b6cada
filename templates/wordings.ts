import type { DocumentData, DocumentName } from './documents.ts';
import type { Letter } from './letter.ts';
import { renderMessage } from './render-message.ts';
import { sanitizeWording } from './sanitize.ts';

/**
 * Disclosures and tax forms are excluded, because the law prescribes what may appear next to their figures
 * (12 CFR 1026.17(a)(1), 1026.6(b); IRS, General Instructions for Certain Information Returns).
 */
export const WORDED_DOCUMENTS = [
  'monthly_statement',
  'payoff_letter',
  'adverse_action_notice',
] as const;
export type WordedDocument = (typeof WORDED_DOCUMENTS)[number];

/** A statement's first page begins with the amount due and has no room for an opening. */
export const hasOpening = (name: WordedDocument) => name !== 'monthly_statement';

type Value = string | null | undefined;
const LETTER_VALUES = {
  'tenant.name': ({ tenant }) => tenant.name,
  'tenant.url': ({ tenant }) => tenant.portal_url,
  'tenant.support_email': ({ tenant }) => tenant.branding.support_email,
  'tenant.support_phone': ({ tenant }) => tenant.branding.support_phone,
  'borrower.name': ({ recipient }) => recipient.name,
  'loan.number': ({ loan_number }) => loan_number,
  today: ({ letter_date }) => letter_date,
} satisfies Record<string, (letter: Letter) => Value>;

/** The values that the text may use, by path. Each function reads the data stored with the document. */
const VALUES: { [Name in WordedDocument]: Record<string, (data: DocumentData[Name]) => Value> } = {
  monthly_statement: {
    ...LETTER_VALUES,
    'statement.date': ({ letter_date }) => letter_date,
    'statement.period_start': ({ period_start }) => period_start,
    'statement.period_end': ({ period_end }) => period_end,
    'statement.new_balance': ({ summary }) => summary.new_balance,
    payment_amount: ({ due }) => due.amount_due,
    due_date: ({ due }) => due.next_due_date,
  },
  payoff_letter: {
    ...LETTER_VALUES,
    'payoff.amount': ({ payoff_amount }) => payoff_amount,
    'payoff.good_through': ({ good_through }) => good_through,
    'payoff.per_diem': ({ per_diem }) => per_diem,
  },
  adverse_action_notice: LETTER_VALUES,
};

/** The paths that the document's text may use. */
export const wordingPaths = (name: WordedDocument): ReadonlySet<string> =>
  new Set(Object.keys(VALUES[name]));

const hasWording = (name: DocumentName): name is WordedDocument =>
  WORDED_DOCUMENTS.some((worded) => worded === name);

/**
 * Renders the tenant's text as safe HTML from the data stored with the document. Dates follow the
 * document's language.
 */
export function renderWording<Name extends DocumentName>(
  name: Name,
  locale: string,
  data: DocumentData[Name],
) {
  const { wording, currency } = data;
  if (!wording || !hasWording(name)) return {};
  const values = new Map<string, unknown>([
    ['locale', locale],
    ['currency', currency],
  ]);
  for (const [path, read] of Object.entries(VALUES[name])) {
    const [owner = '', own] = path.split('.');
    // TypeScript cannot relate the two uses of `Name`: each document's functions read that document's data.
    const value = (read as (data: DocumentData[Name]) => Value)(data);
    if (own === undefined) values.set(owner, value);
    else values.set(owner, { ...(values.get(owner) as object | undefined), [own]: value });
  }
  const asHtml = (source: Value) =>
    source
      ? sanitizeWording(
          renderMessage({ channel: 'letter', body: source }, Object.fromEntries(values)).body,
        )
      : '';
  return { opening_html: asHtml(wording.opening), closing_html: asHtml(wording.closing) };
}

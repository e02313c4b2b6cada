import { BOOK_FILE_NAMES, BOOK_FILES, columnsOf } from '../../jobs/books/format/book-files.ts';
import type { Column } from '../../jobs/books/format/columns.ts';
import {
  BOARDING_CODES,
  FINDING_CODES,
  type FindingCode,
} from '../../jobs/books/format/findings.ts';
import type { Form } from '../../jobs/books/format/kinds.ts';
import { readyMappings } from '../../templates/mappings.ts';

const INTRODUCTION = `# The book format

A *book* is the loans of one lender with all that belongs to them: a folder or a zip of CSV files, or a single CSV file, which is then
\`loans.csv\`. You import a book, and an export of your book has the same format.

- Only \`loans.csv\` is required. Each file has a header line. Columns may be in any order, and optional ones may be missing.
- Without \`borrowers.csv\`, each line of \`loans.csv\` describes its borrower with the columns \`borrower_…\`.
- Records name each other by your own ids, such as \`loan_number\` and \`borrower_external_id\`.
- Documents are in the folder \`documents\`, and \`documents.csv\` says what each of them is.
- UTF-8 with or without a byte order mark and UTF-16 are recognized; other bytes are read as Windows-1252, with a warning. Columns are separated by
  commas, semicolons, tabs or vertical bars. A title above the header line and totals below the last line are skipped, with a warning.
- A zip must not be encrypted. Paths that lead out of it, links, and files that unpack to far more than they look are refused.
`;

const MAPPING = `## Translate a foreign file

A mapping is a YAML file that says where the columns of the book come from. \`npm run board -- --suggest\` writes one for your file, from the names of
its columns and from its values. Read every line of it before you use it.

\`\`\`yaml
files:
  loans: 'export*.csv' # which file feeds which book file; one may feed several
loans:
  dates: MM/dd/yyyy # yyyy, yy, MMMM, MMM, MM, M, dd, d
  money: { currency: $, thousands: ',', negative: parentheses }
  rates: percent # or fraction, basis_points
  terms: '## months'
  empty: [NULL, n/a]
  columns:
    loan_number: Acct No
    borrower_external_id: Cust ID
    borrower_first_name: { from: Customer, split: ',', part: second }
    borrower_last_name: { from: Customer, split: ',' }
    borrower_state: ST
    principal_amount: Orig Amt
    current_principal_balance: { from: Orig Amt, minus: Paid Principal }
    interest_rate: Rate
    term_months: Term
    origination_date: { from: Opened, dates: { format: MM/dd/yy, two_digit_years_from: 1970 } }
    next_due_date: { from: Next Due, when: { Stat: [CUR, LATE] } }
    status: Stat
    product_code: { value: AUTO }
  values:
    status: { CUR: active, LATE: active, PIF: paid_off }
  sign: { outstanding_fees: negative_is_owed }
  leave_out: { Stat: [DENIED] }
  ignore: [Branch, Region]
\`\`\`

- A column of the file that the mapping neither uses nor ignores is refused, so that nothing is lost by a spelling mistake. \`ignore: ['*']\` ignores all.
- Dates are never guessed. A date such as 2026-01-31, also with a time of day, needs no form.
- Amounts with more than two decimals need \`money: { round: half_up }\`, \`half_even\` or \`down\`.
- \`join\` joins several columns, \`default\` stands for an empty field, and \`numbered: 'LC-#####'\` uses the number of the line.
- \`when_filled: [Co-borrower]\` reads only the lines in which the column is filled, for a file that also feeds \`co_borrowers\`.
- Codes that are not in \`values\` are refused, unless \`'*'\` stands for all others.
`;

const WRITTEN: Readonly<Record<Form, string>> = {
  text: 'text',
  money: 'amount, `1234.50`',
  rate: 'fraction, `0.085`',
  number: 'number',
  whole_number: 'whole number',
  date: 'date, `2026-01-31`',
  timestamp: 'time, `2026-01-31T12:00:00Z`',
  flag: '`true` or `false`',
  choice: 'one of',
  list: 'list, separated by |',
  json: 'JSON',
};

/** The Markdown of the guide to the book format, made from its declaration. */
export const bookGuide = (): string =>
  [
    INTRODUCTION,
    MAPPING,
    `Ready to use, with \`--mapping NAME\` or as \`mapping\` of an import: ${readyMappings()
      .map((name) => `\`${name}\``)
      .join(', ')}.\n`,
    '## Files\n',
    ...BOOK_FILE_NAMES.flatMap((name) => [
      `### ${name}.csv\n`,
      `One row: ${BOOK_FILES[name].about}${BOOK_FILES[name].is_own_export ? ' Only in our own exports.' : ''}\n`,
      '| Column | Contents | Meaning |',
      '|---|---|---|',
      ...Object.entries(columnsOf(name)).map(([column, declared]) => columnRow(column, declared)),
      '',
    ]),
    '## Findings\n',
    'The check reports each finding by file, line and column. An error refuses the book. For a warning you decide: make it an error, or accept it.\n',
    '| Code | Severity | Meaning |',
    '|---|---|---|',
    ...(Object.keys(FINDING_CODES) as FindingCode[]).map(
      (code) => `| \`${code}\` | ${FINDING_CODES[code].severity} | ${FINDING_CODES[code].about} |`,
    ),
    ...Object.entries(BOARDING_CODES).map(
      ([code, about]) => `| \`${code}\` | warning, after the confirmation | ${about} |`,
    ),
    '',
  ].join('\n');

/** States have too many values to list them. */
const LISTED_MAX = 20;

function columnRow(name: string, column: Column): string {
  const { form, choices, is_required, description } = column;
  const listed =
    choices === null
      ? ''
      : choices.length > LISTED_MAX
        ? ' a list of codes'
        : ` ${choices.map((choice) => `\`${choice}\``).join(', ')}`;
  const needed = is_required ? ' **Required.**' : '';
  return `| \`${name}\` | ${`${WRITTEN[form]}${listed}`.replaceAll('|', '\\|')} | ${description.replaceAll('|', '\\|')}${needed} |`;
}

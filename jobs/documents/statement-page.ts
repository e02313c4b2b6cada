import type { MonthlyStatement, StatementActivity } from '../../templates/documents.ts';
import { formOfStatement, type LegalFigures } from './statement-form.ts';
import { addressee, estateOf } from '../../templates/letter.ts';
import { scanLine } from '../../templates/scan-line.ts';
import { isOnePage, statementLine } from '../../templates/statement-lines.ts';
import type { MessageFigures, LetterFigures } from '../communications/message-figures.ts';

type Line = Omit<StatementActivity, 'description'> & { kind: string };
type Figures = Required<
  Pick<
    MonthlyStatement,
    'period_start' | 'period_end' | 'summary' | 'due' | 'loan' | 'line' | 'year_to_date' | 'wording'
  >
> & { activity: readonly Line[] };

/** A statement as billed, with its letterhead and the loan values for its message. */
export type BilledStatement = Figures & {
  letter: LetterFigures & { addressee_id: string };
  language: string;
  borrower: Pick<MessageFigures['borrower'], 'first_name' | 'last_name'>;
  loan_then: Record<string, unknown>;
  counters: unknown;
} & LegalFigures;

/** How the letter and the message address the person who gets the statement. */
export function addressStatement({ letter, borrower }: BilledStatement, language: string) {
  const recipient = addressee(letter.recipient, language);
  const isEstate = recipient.name !== letter.recipient.name;
  const first_name = isEstate ? estateOf(borrower.first_name, language) : borrower.first_name;
  return { letter: { ...letter, recipient }, borrower: { ...borrower, first_name } };
}

/** The billed figures with texts in the borrower's language. */
export function buildStatementPage(
  billed: Record<string, unknown>,
  language: string,
): MonthlyStatement {
  // Always written by sql/documents/statements.ts.
  const statement = billed as BilledStatement;
  const { period_start, period_end, summary, loan, line, year_to_date, wording } = statement;
  const { letter } = addressStatement(statement, language);
  const form = formOfStatement(statement);
  const figures = { period_start, period_end, summary, loan, line, year_to_date, wording, ...form };
  const { tenant } = letter;
  return {
    ...letter,
    ...figures,
    activity: statement.activity.map(({ kind, ...line }) => ({
      ...line,
      description: statementLine(kind, language),
    })),
    is_one_page: isOnePage({ ...letter, ...figures, activity: statement.activity }),
    pay_to: { name: tenant.name, address_lines: tenant.address_lines },
    scan_line: scanLine(letter.loan_number, figures.due.amount_due),
  };
}

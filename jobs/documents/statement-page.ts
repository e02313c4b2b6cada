import type { MonthlyStatement, StatementActivity } from '../../templates/documents.ts';
import { scanLine } from '../../templates/scan-line.ts';
import { isOnePage, statementLine } from '../../templates/statement-lines.ts';
import type { MessageFigures, LetterFigures } from '../communications/message-figures.ts';

type Line = Omit<StatementActivity, 'description'> & { kind: string };
type Figures = Pick<
  MonthlyStatement,
  'period_start' | 'period_end' | 'summary' | 'due' | 'loan' | 'line' | 'year_to_date' | 'wording'
> & { activity: readonly Line[] };

/** A statement as billed, with its letterhead and the loan values for its message. */
export type BilledStatement = Figures & {
  letter: LetterFigures;
  language: string;
  borrower: Pick<MessageFigures['borrower'], 'first_name' | 'last_name'>;
  loan_then: Record<string, unknown>;
  counters: unknown;
};

/** The billed figures with texts in the borrower's language. */
export function buildStatementPage(
  billed: Record<string, unknown>,
  language: string,
): MonthlyStatement {
  // Always written by sql/documents/statements.ts.
  const {
    letter,
    borrower: _,
    loan_then: __,
    counters: ___,
    ...figures
  } = billed as BilledStatement;
  const { tenant } = letter;
  return {
    ...letter,
    ...figures,
    activity: figures.activity.map(({ kind, ...line }) => ({
      ...line,
      description: statementLine(kind, language),
    })),
    is_one_page: isOnePage({ ...letter, ...figures }),
    pay_to: { name: tenant.name, address_lines: tenant.address_lines },
    scan_line: scanLine(letter.loan_number, figures.due.amount_due),
  };
}

import type { MonthlyStatement, StatementActivity } from '../../templates/documents.ts';
import { scanLine } from '../../templates/scan-line.ts';
import { isOnePage, statementLine } from '../../templates/statement-lines.ts';
import type { MessageFigures, LetterFigures } from '../communications/message-figures.ts';

type Line = Omit<StatementActivity, 'description'> & { kind: string };
type Figures = Pick<
  MonthlyStatement,
  'period_start' | 'period_end' | 'summary' | 'due' | 'loan' | 'line' | 'year_to_date' | 'wording'
> & { activity: readonly Line[] };

/** A statement as it was billed, with its letterhead and with what its message says of the loan. */
export type BilledStatement = Figures & {
  letter: LetterFigures;
  language: string;
  borrower: Pick<MessageFigures['borrower'], 'first_name' | 'last_name'>;
  loan_then: Record<string, unknown>;
  counters: unknown;
};

/** The figures as they were billed, in the words of the borrower's language. */
export function buildStatementPage(
  billed: Record<string, unknown>,
  language: string,
): MonthlyStatement {
  // Written by sql/documents/statements.ts, and by nobody else.
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

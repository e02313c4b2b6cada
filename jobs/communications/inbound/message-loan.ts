import * as recipients from '../../../sql/communications/recipients.ts';
import { isLiable } from '../../../sql/loans/co-borrowers.ts';
import { loans } from '../../../sql/loans/loans.ts';
import { find } from '../../../sql/table.ts';
import { Invalid } from '../../errors.ts';
import type { Work } from '../../work.ts';

type MessageSubject = { borrower_id: string; loan_id?: string | null | undefined };

/** The loan that the message is about. Throws Invalid if the borrower does not owe it. */
export async function findMessageLoan(work: Work, subject: MessageSubject) {
  const id = subject.loan_id ?? (await recipients.findOnlyLoan(work.tx, subject.borrower_id));
  if (!id) return null;
  const loan = await find(work.tx, loans, id);
  if (!loan) throw new Invalid({ loan_id: 'Does not exist.' });
  if (loan['borrower_id'] === subject.borrower_id) return loan;
  if (await isLiable(work.tx, id, subject.borrower_id)) return loan;
  throw new Invalid({ loan_id: 'Must be a loan of this borrower.' });
}

type MessageText = { subject: string | null; body: string };
type Context = Record<string, unknown>;

/**
 * Returns the problem if the message shows values of a loan although no loan is named, otherwise null. For
 * borrowers with several open loans.
 */
export function ambiguousLoanProblem(words: MessageText, context: Context = {}): string | null {
  const [name] = loanNamesIn(`${words.subject ?? ''} ${words.body}`).filter(
    (candidate) => !Object.hasOwn(context, candidate),
  );
  if (name === undefined) return null;
  return `The message uses ${name}, but the borrower has several open loans. Set loan_id.`;
}

/** Throws Invalid if the message shows loan values, names no loan and the borrower has several. */
export async function assertLoanUnambiguous(
  { tx }: Work,
  { borrower_id, words, context }: { borrower_id: string; words: MessageText; context?: Context },
) {
  const unclear = ambiguousLoanProblem(words, context);
  if (unclear === null) return;
  const several = await recipients.findWithSeveralLoans(tx, [borrower_id]);
  if (several.length > 0) throw new Invalid({ loan_id: unclear });
}

/**
 * The loan values that a template shows. Empty if the template tests `loan` itself, because it then works
 * without a loan.
 */
function loanNamesIn(source: string): string[] {
  const expressions = source.split('{{').map((part) => part.split('}}')[0] ?? '');
  if (expressions.some((inner) => /^#(if|unless) loan\b/.test(inner))) return [];
  return expressions
    .slice(1)
    .filter((inner) => !/^[#/!]/.test(inner))
    .flatMap((inner) => {
      const [name] = /^(loan\.\w{1,60}|payment_amount|due_date)\b/.exec(inner.trim()) ?? [];
      return name === undefined ? [] : [name];
    });
}

import { isLiable } from '../../sql/loans/co-borrowers.ts';
import { insert, type Values } from '../../sql/write.ts';
import { Invalid } from '../errors.ts';
import type { Work } from '../work.ts';

type NewNote = Values & {
  borrower_id: string;
  body: string;
  loan_id?: string | null | undefined;
};

/** Adds a note with its author. Throws Invalid if the borrower does not owe the note's loan. */
export async function addNote({ tx, actor }: Work, input: NewNote): Promise<string> {
  const { loan_id, borrower_id } = input;
  if (loan_id && !(await isLiable(tx, loan_id, borrower_id)))
    throw new Invalid({ loan_id: 'Does not exist.' });
  return insert(tx, 'notes', { ...input, author_id: actor.id });
}

import { z } from 'zod';
import * as letters from '../../sql/mailing/letters.ts';
import type { Row } from '../../sql/table.ts';
import { find } from '../../sql/table.ts';
import { prose } from '../../sql/types.ts';
import { Conflict, NotFound } from '../errors.ts';
import type { Work } from '../work.ts';

export const LetterNote = z.object({
  note: prose.nullish().describe('The reason, for later readers.'),
});
export type LetterNote = z.output<typeof LetterNote>;

/** Keeps a letter out of batches until staff release it. */
export async function holdLetter(work: Work, id: string, { note }: LetterNote) {
  const { hold_reasons } = await findUnbatched(work, id);
  const others = (hold_reasons as string[]).filter((reason) => reason !== 'by_hand');
  await updateLetter(work, id, { status: 'held', hold_reasons: [...others, 'by_hand'], note });
}

/** Releases a letter. The next batch checks again whether it may be sent. */
export async function releaseLetter(work: Work, id: string, { note }: LetterNote) {
  const { status } = await findUnbatched(work, id);
  if (status !== 'held') throw notHeld();
  await updateLetter(work, id, { status: 'waiting', hold_reasons: [], note });
}

/** Withdraws a letter permanently: it was sent in another way or is no longer needed. */
export async function withdrawLetter(work: Work, id: string, { note }: LetterNote) {
  await findUnbatched(work, id);
  await updateLetter(work, id, { status: 'withdrawn', hold_reasons: [], note });
}

async function findUnbatched({ tx }: Work, id: string): Promise<Row> {
  const letter = await find(tx, letters.letters, id);
  if (letter === null) throw new NotFound();
  if (letter['status'] === 'batched') throw letterBatched(letter['mail_batch_id']);
  if (letter['status'] === 'withdrawn') throw letterWithdrawn();
  return letter;
}

type Decision = {
  status: 'waiting' | 'held' | 'withdrawn';
  hold_reasons: string[];
  note: string | null | undefined;
};

async function updateLetter({ tx }: Work, id: string, { note, ...change }: Decision) {
  const isDone = await letters.updateStatus(tx, id, { ...change, note: note?.trim() || null });
  if (!isDone)
    throw new Conflict('The letter was just added to a batch. Cancel the batch first.', 'batched');
}

export const letterBatched = (mail_batch_id: unknown) =>
  new Conflict('The letter is already in a batch.', 'batched', {
    mail_batch_id,
  });

export const letterWithdrawn = () => new Conflict('The letter was withdrawn.', 'withdrawn');

export const notHeld = () => new Conflict('The letter is not held.', 'not_held');

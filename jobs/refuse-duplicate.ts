import { constraintOf } from '../sql/database/db.ts';
import { Conflict } from './errors.ts';

/** A unique index, with the field and the message for the resulting error. */
type Kind = { index: string; field: string; message: string };

/**
 * Runs `write` and turns a violation of the given unique index into a Conflict (409). This also covers two
 * concurrent requests.
 */
export async function refuseDuplicate<Result>(
  kind: Kind,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (constraintOf(error) !== kind.index) throw error;
    throw duplicateOf(kind);
  }
}

export const duplicateOf = ({ field, message }: Kind) =>
  new Conflict(message, 'already_exists', { field });

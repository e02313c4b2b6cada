import { constraintOf } from '../sql/database/db.ts';
import { Conflict } from './errors.ts';

/** What nobody may have a second of: the unique index that says so, the field it is told of, and the words. */
type Kind = { index: string; field: string; message: string };

/** Writes what there is one of; whoever comes second, also of two requests at once, is told by 409. */
export async function refuseDuplicate<Result>(
  { index, field, message }: Kind,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (constraintOf(error) !== index) throw error;
    throw new Conflict(message, 'already_exists', { field });
  }
}

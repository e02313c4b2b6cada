import { find, type Row } from '../../sql/table.ts';
import * as rows from '../../sql/users/sessions.ts';
import { recordAudit } from '../audit.ts';
import { NotFound } from '../errors.ts';
import type { Work } from '../work.ts';

/** Ends a session at once; its browser is asked to sign in with its next request. */
export async function endSession({ tx }: Work, id: string) {
  await rows.endSession(tx, id);
}

/** The same for one of the sessions of whoever asks; another's is not found. Answers what it was. */
export async function endOwnSession(work: Work, id: string): Promise<Row> {
  const { tx, actor } = work;
  const session = await find(tx, rows.sessions, id);
  if (session === null || session['user_id'] !== actor.id) throw new NotFound();
  await rows.endSession(tx, id);
  await recordAudit(work, { type: 'sessions', id }, 'delete', {});
  return session;
}

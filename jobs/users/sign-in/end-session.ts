import { find, type Row } from '../../../sql/table.ts';
import * as rows from '../../../sql/users/sessions.ts';
import { recordAudit } from '../../audit.ts';
import { NotFound } from '../../errors.ts';
import type { Work } from '../../work.ts';

/** Ends a session immediately. The browser's next request has to sign in again. */
export async function endSession({ tx }: Work, id: string) {
  await rows.endSession(tx, id);
}

/** Ends one of the actor's own sessions and returns it. Throws NotFound for another user's session. */
export async function endOwnSession(work: Work, id: string): Promise<Row> {
  const { tx, actor } = work;
  const session = await find(tx, rows.sessions, id);
  if (session === null || session['user_id'] !== actor.id) throw new NotFound();
  await rows.endSession(tx, id);
  await recordAudit(work, { type: 'sessions', id }, 'delete', {});
  return session;
}

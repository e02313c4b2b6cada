import { z } from 'zod';
import { endOwnSession, endSession } from '../../jobs/users/sign-in/end-session.ts';
import { text, timestamp, uuid } from '../../sql/types.ts';
import { PROOFS, sessions as table } from '../../sql/users/sessions.ts';
import { filterByParent, listDeclarationOf, fetchPage } from '../endpoints/record-operations.ts';
import { resource } from '../endpoints/resource.ts';
import type { Call, Page, Route } from '../endpoints/route.ts';

export const sessions = resource({
  name: 'Session',
  about: 'A session of a signed-in user. Deleting it ends it immediately.',
  path: 'sessions',
  area: 'users',
  table,
  read: 'superadmin',
  write: 'superadmin',
  offers: ['list', 'read', 'delete'],

  fields: {
    id: uuid.readonly(),
    user_id: uuid.readonly(),
    email: text.readonly().describe('The address of the user.'),
    ip_address: text.nullable().readonly().describe('The address from which the user signed in.'),
    user_agent: z
      .string()
      .nullable()
      .readonly()
      .describe('The browser or program, as it names itself.'),
    second_factor: z
      .enum(PROOFS)
      .nullable()
      .readonly()
      .describe('The second factor of the sign-in. Null if there was none.'),
    last_seen_at: timestamp.readonly().describe('When the session last sent a request.'),
    expires_at: timestamp.readonly().describe('When the session ends at the latest.'),
    created_at: timestamp.readonly(),
  },
  filters: ['user_id', 'email', 'ip_address', 'second_factor'],

  remove: endSession,
  security_events: { delete: 'session_end' },
});

const ownReply = sessions.reply
  .extend({ is_current: z.boolean().describe('Whether the request belongs to this session.') })
  .meta({ id: 'OwnSession' });
const routeDefaults = { tag: 'users', resource: 'auth', allow: 'any', status: 200 } as const;

const markCurrent = (row: object & { id?: unknown }, { user }: Call) => ({
  ...row,
  is_current: row.id === user?.session_id,
});

export const ownSessions: Route[] = [
  {
    ...routeDefaults,
    method: 'GET',
    path: '/auth/sessions',
    action: 'sessions',
    summary: 'List your sessions',
    description: 'The devices on which you are signed in. `is_current` marks this session.',
    reply: ownReply,
    list: listDeclarationOf(sessions.declaration),
    transaction: 'read',
    run: async (call: Call): Promise<Page> => {
      const own = filterByParent(call.list, 'user_id', call.user?.id ?? '');
      const { rows, total } = await fetchPage({ ...call, list: own }, table);
      return { rows: rows.map((row) => markCurrent(row, call)), total };
    },
  },
  {
    ...routeDefaults,
    method: 'DELETE',
    path: '/auth/sessions/{id}',
    action: 'end-session',
    security_event: 'session_end',
    summary: 'End one of your sessions',
    description: 'The device has to sign in again. Ending the current session signs you out.',
    reply: ownReply,
    transaction: 'write',
    run: async (call: Call) =>
      markCurrent(await endOwnSession(call.work, call.params['id'] ?? ''), call),
  },
];

import { z } from 'zod';
import type { Row } from '../../sql/table.ts';
import { uuid, requiredText, freeText } from '../../sql/types.ts';
import * as permissions from '../../sql/users/permissions.ts';
import { insert, deleteRow, update } from '../../sql/write.ts';
import { Conflict, Invalid } from '../errors.ts';
import type { Work } from '../work.ts';

const action = z
  .string()
  .max(60)
  .regex(/^(\*|[a-z0-9-]+)$/, 'Must be the name of an action, or *.')
  .describe(
    'The action, such as list, show, create, edit, delete or approve; * means all. GET /users/me lists the names.',
  );
const resource = z
  .string()
  .max(60)
  .regex(/^(\*|[a-z0-9-]+(\/[a-z0-9-]+)?)$/, 'Must be the name of a resource, or *.')
  .describe('The resource, such as loans or payments; * means all. GET /users/me lists the names.');

/** The fields of a rule. The caller checks that action and resource match existing endpoints. */
export const ruleFields = {
  type: z
    .enum(['allow', 'deny'])
    .default('allow')
    .describe(
      '`allow` opens the endpoints to the user, except those that only superadmins may call. `deny` closes them, or with `record` hides fields, and is stronger than the role and other permissions.',
    ),
  action,
  resource,
  record: z
    .record(z.string().regex(/^[a-z0-9_]{1,60}$/), z.literal(true))
    .nullish()
    .describe(
      'The fields that a denial hides in answers and refuses in bodies, filters and sorting, as {"ssn_last_four": true}. Only for `deny`.',
    ),
};
export const Rule = z.object(ruleFields);

/** The endpoints of one record that an object grant opens. */
export const grantFields = {
  action,
  resource,
  record_id: uuid.describe('The id of the record that the object grant opens.'),
};

export type Group = {
  name?: z.output<typeof requiredText> | undefined;
  description?: z.output<typeof freeText> | null | undefined;
  permissions?: z.output<typeof Rule>[] | undefined;
  member_ids?: string[] | undefined;
};

/** Creates a group and returns its id. Its rules apply from its members' next request. */
export async function addGroup(work: Work, { member_ids = [], ...group }: Group): Promise<string> {
  await assertOtherUsers(work, member_ids, 'member_ids');
  const id = await insert(work.tx, 'permission_groups', group);
  await permissions.setMembers(work.tx, id, member_ids);
  return id;
}

/** Changes a group. Throws Conflict if the actor is a member or would become one. */
export async function changeGroup(work: Work, id: string, changes: Group, row: Row) {
  const { member_ids, ...group } = changes;
  const before = row['member_ids'] as string[];
  assertNotActor(work, before);
  await assertOtherUsers(work, member_ids ?? [], 'member_ids');
  await update(work.tx, 'permission_groups', id, group);
  if (member_ids) await permissions.setMembers(work.tx, id, member_ids);
}

/** Deletes a group. Its members lose its rules. */
export async function removeGroup(work: Work, id: string, row: Row) {
  assertNotActor(work, row['member_ids'] as string[]);
  await deleteRow(work.tx, 'permission_groups', id);
}

/** Gives a rule or a grant to another user. Returns its id. */
export const addUserRule =
  (table: 'user_permissions' | 'object_grants') =>
  async (work: Work, input: { user_id: string } & Record<string, unknown>): Promise<string> => {
    await assertOtherUsers(work, [input.user_id], 'user_id');
    return insert(work.tx, table, input);
  };

/** Removes a user's rule or grant. */
export const removeUserRule =
  (table: 'user_permissions' | 'object_grants') => async (work: Work, id: string, row: Row) => {
    assertNotActor(work, [String(row['user_id'])]);
    await deleteRow(work.tx, table, id);
  };

/** Rules apply only to staff. Throws Conflict if they affect the actor or the maker of the request. */
async function assertOtherUsers(work: Work, userIds: readonly string[], field: string) {
  assertNotActor(work, userIds);
  const found = await permissions.findExistingUsers(work.tx, userIds);
  const known = new Set(found.map(({ id }) => id));
  if (userIds.some((id) => !known.has(id))) throw new Invalid({ [field]: 'Does not exist.' });
  if (found.some(({ borrower_id }) => borrower_id !== null))
    throw new Conflict('A borrower portal user cannot have staff permissions.', 'borrower_user');
}

function assertNotActor({ actor }: Work, userIds: readonly string[]) {
  const actorIds = [actor.id, actor.requested_by?.id];
  if (userIds.some((id) => actorIds.includes(id))) throw ownAccess();
}

export const ownAccess = () =>
  new Conflict('You cannot change your own access. Ask another superadmin.', 'own_access');

import { z } from 'zod';
import { Invalid, NotFound } from '../../jobs/errors.ts';
import {
  addGroup,
  addUserRule,
  changeGroup,
  grantFields,
  removeGroup,
  removeUserRule,
  Rule,
  ruleFields,
  ownAccess,
} from '../../jobs/users/permissions.ts';
import { freeText, timestamps, uuid, requiredText } from '../../sql/types.ts';
import * as tables from '../../sql/users/permissions.ts';
import { resource } from '../endpoints/resource.ts';
import type { Call, Route } from '../endpoints/route.ts';
import { ruleProblems } from './rules.ts';

const resourceDefaults = {
  area: 'users',
  read: 'superadmin',
  write: 'superadmin',
  security_events: {
    create: 'permission_change',
    update: 'permission_change',
    delete: 'permission_change',
  },
  four_eyes: { create: 'invitations', update: 'invitations', delete: 'invitations' },
  needs_proof: { create: true, update: true, delete: true },
} as const;

export const permissionGroups = resource({
  ...resourceDefaults,
  name: 'PermissionGroup',
  about:
    'Rules for the users of a group, in addition to their roles. A change takes effect with the next request of its members.',
  path: 'permission-groups',
  table: tables.groups,
  offers: ['list', 'read', 'create', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    name: requiredText.describe('The name of the group, for your staff.'),
    description: freeText.nullish().describe('What the group is for.'),
    permissions: z
      .array(Rule)
      .max(200)
      .default([])
      .describe('The rules of the group. An update replaces the whole list.'),
    member_ids: z
      .array(uuid)
      .max(1_000)
      .default([])
      .describe('The ids of the users to whom the rules apply. An update replaces the whole list.'),
    ...timestamps,
  },
  filters: ['name'],

  example: () => ({
    permissions: [
      { type: 'deny', action: '*', resource: 'borrowers', record: { ssn_last_four: true } },
    ],
  }),
  create: addGroup,
  update: changeGroup,
  remove: removeGroup,
});

export const userPermissions = resource({
  ...resourceDefaults,
  name: 'UserPermission',
  about:
    'A rule for a single user, in addition to the role and the groups. To change a rule, delete it and create another one.',
  path: 'user-permissions',
  table: tables.userPermissions,
  offers: ['list', 'read', 'delete'],

  fields: {
    id: uuid.readonly(),
    user_id: uuid,
    ...ruleFields,
    created_at: timestamps.created_at,
  },
  filters: ['user_id', 'type', 'action', 'resource'],

  example: () => ({ action: 'create', resource: 'borrowers' }),
  conflicts: {
    create: () => [ownAccess()],
    delete: () => [ownAccess()],
  },
  create: addUserRule('user_permissions'),
  remove: removeUserRule('user_permissions'),
});

export const objectGrants = resource({
  ...resourceDefaults,
  name: 'ObjectGrant',
  about:
    "Gives a user access to a single record that the user's role does not allow. It covers the record's own endpoints, not lists of all records.",
  path: 'object-grants',
  table: tables.objectGrants,
  offers: ['list', 'read', 'delete'],

  fields: {
    id: uuid.readonly(),
    user_id: uuid,
    ...grantFields,
    created_at: timestamps.created_at,
  },
  filters: ['user_id', 'action', 'resource', 'record_id'],

  example: () => ({ action: 'edit', resource: 'loans' }),
  create: addUserRule('object_grants'),
  remove: removeUserRule('object_grants'),
});

type PermissionInput = {
  permissions?: z.output<typeof Rule>[];
  type?: 'allow' | 'deny';
  action?: string;
  resource?: string;
  record?: Record<string, true> | null;
  record_id?: string;
};

/** Adds validation to the routes, so that they accept only rules that match existing endpoints. */
export const withRuleValidation = (declared: readonly Route[]): Route[] =>
  declared.map((route) => {
    if (route.body === undefined || route.transaction === 'own') return route;
    const run = async (call: Call) => {
      const { permissions = [], record_id, ...permission } = call.body as PermissionInput;
      for (const [at, rule] of permissions.entries())
        throwFieldErrors(ruleProblems(rule, call.routes), `permissions.${at}.`);
      const { type = 'allow', action, resource, record } = permission;
      if (action !== undefined && resource !== undefined)
        throwFieldErrors(ruleProblems({ type, action, resource, record }, call.routes));
      if (record_id !== undefined) await assertRecord(call, resource ?? '', record_id);
      return route.run(call);
    };
    return { ...route, run };
  });

function throwFieldErrors(errors: Record<string, string>, place = '') {
  const prefixedErrors = Object.entries(errors).map(([field, sentence]) => [
    place + field,
    sentence,
  ]);
  if (prefixedErrors.length > 0)
    throw new Invalid(Object.fromEntries(prefixedErrors) as Record<string, string>);
}

/** Throws unless the record exists, which its own read endpoint decides. */
async function assertRecord(call: Call, resource: string, id: string) {
  const read = call.routes.find(
    ({ method, path }) => method === 'GET' && path === `/${resource}/{id}`,
  );
  if (read === undefined || read.transaction === 'own')
    throw new Invalid({ resource: 'Object grants are not available for this resource.' });
  await read.run({ ...call, params: { id }, list: null }).catch((error: unknown) => {
    throw error instanceof NotFound ? new Invalid({ record_id: 'Does not exist.' }) : error;
  });
}

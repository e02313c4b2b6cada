import type { Rule } from '../../sql/users/permissions.ts';
import type { Fact } from '../endpoints/fact-locations.ts';
import { fieldsByResource } from '../endpoints/field-vocabulary.ts';
import type { Access, Route } from '../endpoints/route.ts';
import { isRole, type Permission, type Role } from './permissions.ts';
import { isGrantable, ruleOpensRoute, type MayCall, type RulesByEffect } from './rule-coverage.ts';

type Effects = Pick<Access, 'hiddenIn'> & {
  hidden: readonly Fact[];
  mayCall: MayCall;
  routes: readonly Route[];
};

/** What a user may do, for dashboards. */
export function listPermissions(
  role: Role,
  { grants, closings, denials }: RulesByEffect,
  effects: Effects,
): Permission[] {
  const allowed: Permission[] =
    role === 'superadmin'
      ? [{ action: '*', resource: '*' }]
      : [...callablePermissions(effects), ...objectGrants(grants, effects)];
  return [...allowed, ...[...closings, ...denials].map(denialOf), ...derivedDenials(effects)];
}

/**
 * The denials that follow from denials on other resources, so that a dashboard knows which fields are
 * missing.
 */
function derivedDenials({ hidden, hiddenIn, routes }: Effects): Permission[] {
  if (hidden.length === 0) return [];
  return [...fieldsByResource(routes)].flatMap(([resource, fields]) => {
    const named = new Set(
      hidden.filter((fact) => [resource, '*'].includes(fact.resource)).map(({ field }) => field),
    );
    const rest = [...hiddenIn(resource)].filter((name) => fields.has(name) && !named.has(name));
    const record = Object.fromEntries(rest.map((name) => [name, true]));
    return rest.length > 0 ? [{ type: 'deny' as const, action: '*', resource, record }] : [];
  });
}

const denialOf = ({ action, resource, record }: Rule): Permission => ({
  type: 'deny',
  action,
  resource,
  ...(record && { record }),
});

/** One permission for each action and resource that the user may call. */
function callablePermissions({ mayCall, routes }: Effects): Permission[] {
  const opened = new Map<string, Permission>();
  for (const route of routes) {
    const { action, resource, allow } = route;
    if (isRole(allow) && mayCall(route)) opened.set(`${resource} ${action}`, { action, resource });
  }
  return [...opened.values()];
}

/** The additional permissions that come from grants for single records. */
function objectGrants(grants: readonly Rule[], { mayCall, routes }: Effects) {
  return grants.flatMap((rule) => {
    const { record_id: id } = rule;
    if (id === null) return [];
    return routes
      .filter((route) => isGrantable(route) && ruleOpensRoute(rule, route, { id }))
      .filter((route) => mayCall(route, { id }) && !mayCall(route))
      .map(({ action, resource }): Permission => ({ action, resource, record: { id } }));
  });
}

import type { Rule } from '../../sql/users/permissions.ts';
import type { Access, Route } from '../endpoints/route.ts';
import { findHiddenFields } from './hidden-fields.ts';
import { listPermissions } from './own-permissions.ts';
import { isOpenTo, isRole, type User } from './permissions.ts';
import {
  isGrantable,
  ruleCoversRoute,
  ruleOpensRoute,
  type MayCall,
  type RulesByEffect,
} from './rule-coverage.ts';

/**
 * Combines the route table with the user's rules.
 *
 * - A role opens the endpoints declared for it.
 * - A grant also opens endpoints of other roles below superadmin. A denial closes endpoints again.
 * - Denied fields are hidden from superadmins too, in every answer that would reveal them.
 * - A user without a role has no rules.
 */
export function resolveAccess(
  user: User | null,
  given: readonly Rule[],
  routes: readonly Route[],
): Access {
  const role = user?.tenant_role ?? null;
  const rules = sortByEffect(given, role);
  const mayCall: MayCall = (route, params = {}) => isRouteOpen(user, rules, route, params);
  const { hidden, ...fields } = findHiddenFields(rules.denials, routes);
  return {
    ...fields,
    mayCall,
    mayRead: (resource) => mayReadResource(resource, mayCall, routes),
    permissions: () =>
      role === null ? [] : listPermissions(role, rules, { ...fields, hidden, mayCall, routes }),
    grantedIds: rules.grants.flatMap(({ record_id }) => (record_id === null ? [] : [record_id])),
  };
}

function sortByEffect(given: readonly Rule[], role: User['tenant_role']): RulesByEffect {
  const rules = role === null ? [] : given;
  const denied = rules.filter(({ type }) => type === 'deny');
  return {
    grants: rules.filter(({ type }) => type === 'allow'),
    // A user who manages rules cannot be locked out by one.
    closings: denied.filter(({ record }) => record === null && role !== 'superadmin'),
    denials: denied.filter(({ record }) => record !== null),
  };
}

function isRouteOpen(
  user: User | null,
  { grants, closings }: RulesByEffect,
  route: Route,
  params: Record<string, string>,
): boolean {
  const isOpen = isOpenTo(user, route.allow);
  if ((user?.tenant_role ?? null) === null || !isRole(route.allow)) return isOpen;
  if (closings.some((rule) => ruleCoversRoute(rule, route))) return false;
  return (
    isOpen || (isGrantable(route) && grants.some((rule) => ruleOpensRoute(rule, route, params)))
  );
}

/** A history entry repeats a record, so it is shown to users who can see the record elsewhere. */
function mayReadResource(resource: string, mayCall: MayCall, routes: readonly Route[]): boolean {
  const readings = routes.filter(
    (route) => route.method === 'GET' && route.resource === resource && route.action !== 'history',
  );
  return readings.length === 0 || readings.some((route) => mayCall(route));
}

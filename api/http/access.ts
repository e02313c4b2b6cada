import type { FactName } from '../../jobs/facts.ts';
import type { Rule } from '../../sql/users/permissions.ts';
import { isExposedBy, findFactLocations, type Fact } from '../endpoints/fact-locations.ts';
import type { Access, Route } from '../endpoints/route.ts';
import { fieldsByResource, portalFieldNames } from '../endpoints/field-vocabulary.ts';
import { isOpenTo, isRole, type Permission, type User } from './permissions.ts';

type Params = Record<string, string>;

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
  const rules = role === null ? [] : given;
  const grants = rules.filter(({ type }) => type === 'allow');
  const denials = rules.filter(({ type, record }) => type === 'deny' && record !== null);
  // A user who manages rules cannot be locked out by one.
  const closings = rules.filter(
    ({ type, record }) => type === 'deny' && record === null && role !== 'superadmin',
  );
  const hidden = denials.filter((rule) => isReadRule(rule, routes)).flatMap(factsOf);
  const places = hidden.flatMap((fact) => findFactLocations(fact, routes));
  const known = new Map<string, ReadonlySet<string>>();

  function mayCall(route: Route, params: Params = {}): boolean {
    const isOpen = isOpenTo(user, route.allow);
    if (role === null || !isRole(route.allow)) return isOpen;
    if (closings.some((rule) => ruleCoversRoute(rule, route))) return false;
    return (
      isOpen || (isGrantable(route) && grants.some((rule) => ruleOpensRoute(rule, route, params)))
    );
  }

  /** A history entry repeats a record, so it is shown to users who can see the record elsewhere. */
  function mayRead(resource: string): boolean {
    const readings = routes.filter(
      (route) =>
        route.method === 'GET' && route.resource === resource && route.action !== 'history',
    );
    return readings.length === 0 || readings.some((route) => mayCall(route));
  }

  /** The fields of the resource's answers that would reveal a denied fact. */
  function hiddenIn(resource: string): ReadonlySet<string> {
    const names =
      known.get(resource) ??
      new Set(places.filter((place) => isExposedBy(resource, place)).map(({ field }) => field));
    known.set(resource, names);
    return names;
  }

  /** The fields that a body must not contain: hidden fields and those denied for this action only. */
  const lockedIn = (route: Route): ReadonlySet<string> =>
    new Set([
      ...hiddenIn(route.resource),
      ...denials
        .filter((rule) => ruleCoversRoute(rule, route))
        .flatMap(factsOf)
        .map(({ field }) => field),
    ]);

  function permissions(): Permission[] {
    if (role === null) return [];
    const whole =
      role === 'superadmin'
        ? [{ action: '*', resource: '*' }]
        : callablePermissions(mayCall, routes);
    const records = role === 'superadmin' ? [] : objectGrants(grants, mayCall, routes);
    return [...whole, ...records, ...[...closings, ...denials].map(denialOf), ...derived()];
  }

  /**
   * The denials that follow from denials on other resources, so that a dashboard knows which fields are
   * missing.
   */
  function derived(): Permission[] {
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

  return {
    mayCall,
    mayRead,
    hiddenIn,
    lockedIn,
    permissions,
    /** The ids of single records that the user's grants name. */
    grantedIds: grants.flatMap(({ record_id }) => (record_id === null ? [] : [record_id])),
    /** Whether any field is hidden from the user. */
    isRestricted: hidden.length > 0,
    /**
     * The possible values of hidden fields that have only a few, because a refusal's text could contain
     * them.
     */
    hiddenWords: () =>
      hidden.flatMap(({ resource, field }) => [
        ...(fieldsByResource(routes).get(resource)?.get(field) ?? []),
      ]),
    /** Returns the given facts that the user must not see. */
    deniedAmong: (facts: readonly FactName[]) =>
      facts.filter((name) => {
        const at = name.lastIndexOf('.');
        return hiddenIn(name.slice(0, at)).has(name.slice(at + 1));
      }),
    /** The hidden field names that the borrower portal would show. */
    hiddenInPortal: () => {
      const names = portalFieldNames(routes);
      return [...new Set(places.map(({ field }) => field))].filter((name) => names.has(name));
    },
    /** Every hidden name, for answers that can describe any record. */
    hiddenAnywhere: new Set(places.map(({ field }) => field)),
  };
}

/** Endpoints that control access, and all others declared for superadmin, cannot be granted. */
export const isGrantable = ({ allow }: Pick<Route, 'allow'>) =>
  isRole(allow) && allow !== 'superadmin';

type RequestedAccess = Pick<Route, 'method' | 'action' | 'resource'>;

/** Whether the rule covers the route, by its action or by the general read and write actions. */
export function ruleCoversRoute(
  { action, resource }: Pick<Rule, 'action' | 'resource'>,
  route: RequestedAccess,
) {
  if (resource !== '*' && resource !== route.resource) return false;
  if (action === '*' || action === route.action) return true;
  return action === (route.method === 'GET' ? 'read' : 'write');
}

/**
 * A grant for one record opens that record's endpoints. A grant of all actions also opens the endpoints
 * below it.
 */
function ruleOpensRoute(rule: Rule, route: Route, params: Params): boolean {
  const { record_id, resource, action } = rule;
  if (record_id === null) return ruleCoversRoute(rule, route);
  const own = `/${resource}/{id}`;
  if (params['id'] !== record_id || !`${route.path}/`.startsWith(`${own}/`)) return false;
  return action === '*' || ruleCoversRoute(rule, route);
}

/**
 * A field denied for any kind of reading is hidden everywhere. Other field denials only prevent writing.
 */
const isReadRule = (rule: Rule, routes: readonly Route[]) =>
  rule.action === '*' ||
  rule.action === 'read' ||
  routes.some((route) => route.method === 'GET' && ruleCoversRoute(rule, route));

const factsOf = ({ resource, record }: Rule): Fact[] =>
  Object.entries(record ?? {}).flatMap(([field, isDenied]) =>
    isDenied === true ? [{ resource, field }] : [],
  );

const denialOf = ({ action, resource, record }: Rule): Permission => ({
  type: 'deny',
  action,
  resource,
  ...(record && { record }),
});

type MayCall = (route: Route, params?: Params) => boolean;

/** One permission for each action and resource that the user may call. */
function callablePermissions(mayCall: MayCall, routes: readonly Route[]): Permission[] {
  const opened = new Map<string, Permission>();
  for (const route of routes) {
    const { action, resource, allow } = route;
    if (isRole(allow) && mayCall(route)) opened.set(`${resource} ${action}`, { action, resource });
  }
  return [...opened.values()];
}

/** The additional permissions that come from grants for single records. */
function objectGrants(grants: readonly Rule[], mayCall: MayCall, routes: readonly Route[]) {
  return grants.flatMap((rule) => {
    const { record_id: id } = rule;
    if (id === null) return [];
    return routes
      .filter((route) => isGrantable(route) && ruleOpensRoute(rule, route, { id }))
      .filter((route) => mayCall(route, { id }) && !mayCall(route))
      .map(({ action, resource }): Permission => ({ action, resource, record: { id } }));
  });
}

import type { Rule } from '../../sql/users/permissions.ts';
import type { Route } from '../endpoints/route.ts';
import { isRole } from './permissions.ts';

export type MayCall = (route: Route, params?: Record<string, string>) => boolean;

/** A user's rules by their effect. Each closes or opens endpoints, or denies fields. */
export type RulesByEffect = {
  grants: readonly Rule[];
  /** Deny whole endpoints. */
  closings: readonly Rule[];
  /** Deny fields. */
  denials: readonly Rule[];
};

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
export function ruleOpensRoute(rule: Rule, route: Route, params: Record<string, string>): boolean {
  const { record_id, resource, action } = rule;
  if (record_id === null) return ruleCoversRoute(rule, route);
  const own = `/${resource}/{id}`;
  if (params['id'] !== record_id || !`${route.path}/`.startsWith(`${own}/`)) return false;
  return action === '*' || ruleCoversRoute(rule, route);
}

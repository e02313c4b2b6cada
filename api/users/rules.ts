import { fieldsByResource } from '../endpoints/field-vocabulary.ts';
import type { Route } from '../endpoints/route.ts';
import { ruleCoversRoute, isGrantable } from '../http/rule-coverage.ts';
import { isRole } from '../http/permissions.ts';

type RuleInput = {
  type: 'allow' | 'deny';
  action: string;
  resource: string;
  record?: Record<string, true> | null | undefined;
};

/** Returns the errors of a rule by field, or none if the rule matches existing endpoints. */
export function ruleProblems(
  { type, action, resource, record }: RuleInput,
  routes: readonly Route[],
): Record<string, string> {
  const staff = routes.filter(({ allow }) => isRole(allow));
  const own = staff.filter((route) => resource === '*' || route.resource === resource);
  if (own.length === 0) return { resource: 'This resource does not exist.' };
  const meant = own.filter((route) => ruleCoversRoute({ action, resource }, route));
  if (meant.length === 0) return { action: 'This resource does not have that action.' };
  if (type === 'allow') {
    if (record)
      return {
        record: 'Only a denial names fields. To open a single record, create an object grant.',
      };
    return meant.some(isGrantable)
      ? {}
      : { action: 'Only superadmins can do this. It cannot be granted.' };
  }
  const fields = Object.keys(record ?? {});
  if (record && fields.length === 0) return { record: 'Must name a field.' };
  if (fields.includes('id')) return { record: 'The id of a record cannot be denied.' };
  const known = fieldsByResource(routes);
  const isKnown = (field: string) => own.some((route) => known.get(route.resource)?.has(field));
  const unknown = fields.find((field) => !isKnown(field));
  return unknown === undefined ? {} : { record: `${unknown} is not a field of the resource.` };
}

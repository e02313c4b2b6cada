import type { FactName } from '../../jobs/facts.ts';
import type { Rule } from '../../sql/users/permissions.ts';
import { findFactLocations, isExposedBy, type Fact } from '../endpoints/fact-locations.ts';
import { fieldsByResource, portalFieldNames } from '../endpoints/field-vocabulary.ts';
import type { Access, Route } from '../endpoints/route.ts';
import { ruleCoversRoute } from './rule-coverage.ts';

/** `hidden`: the facts that the rules hide. The other properties are those of the user's access. */
type HiddenFields = { hidden: readonly Fact[] } & Pick<
  Access,
  | 'hiddenIn'
  | 'lockedIn'
  | 'isRestricted'
  | 'hiddenWords'
  | 'deniedAmong'
  | 'hiddenInPortal'
  | 'hiddenAnywhere'
>;

/** The fields that a user's denials hide, in every answer that would reveal them. */
export function findHiddenFields(denials: readonly Rule[], routes: readonly Route[]): HiddenFields {
  const hidden = denials.filter((rule) => isReadRule(rule, routes)).flatMap(factsOf);
  const places = hidden.flatMap((fact) => findFactLocations(fact, routes));
  const hiddenAnywhere = new Set(places.map(({ field }) => field));
  const known = new Map<string, ReadonlySet<string>>();

  function hiddenIn(resource: string): ReadonlySet<string> {
    const names =
      known.get(resource) ??
      new Set(places.filter((place) => isExposedBy(resource, place)).map(({ field }) => field));
    known.set(resource, names);
    return names;
  }

  return {
    hidden,
    hiddenIn,
    hiddenAnywhere,
    isRestricted: hidden.length > 0,
    lockedIn: (route) => {
      const denied = denials.filter((rule) => ruleCoversRoute(rule, route)).flatMap(factsOf);
      return new Set([...hiddenIn(route.resource), ...denied.map(({ field }) => field)]);
    },
    hiddenWords: () =>
      hidden.flatMap(({ resource, field }) => [
        ...(fieldsByResource(routes).get(resource)?.get(field) ?? []),
      ]),
    deniedAmong: (facts: readonly FactName[]) =>
      facts.filter((name) => {
        const at = name.lastIndexOf('.');
        return hiddenIn(name.slice(0, at)).has(name.slice(at + 1));
      }),
    hiddenInPortal: () => {
      const names = portalFieldNames(routes);
      return [...hiddenAnywhere].filter((name) => names.has(name));
    },
  };
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

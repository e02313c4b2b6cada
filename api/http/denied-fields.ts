import { Forbidden } from '../../jobs/errors.ts';
import { dictionary } from '../../sql/dictionary.ts';
import { openEndedFields, freeTextFields } from '../endpoints/fact-locations.ts';
import type { ListDeclaration } from '../endpoints/lists.ts';
import type { Call, CarriedFacts, Route } from '../endpoints/route.ts';
import type { Access } from './access.ts';
import { errorAnswer, HttpRefusal, type ErrorAnswer } from './errors.ts';
import { isRole } from './permissions.ts';

type Names = ReadonlySet<string>;
type Input = Record<string, unknown>;

/** The answer of a route as this user sees it: what is hidden is absent, at any depth. */
export function omitHiddenFields(access: Access, route: Route, body: unknown): unknown {
  if (!access.isRestricted || !isRole(route.allow)) return body;
  const { resource } = route;
  const names = new Set([...access.hiddenIn(resource), ...freeTextFields(resource)]);
  const anything = new Set(openEndedFields(resource));
  const walk = (value: unknown, hidden: Names): unknown => {
    if (Array.isArray(value)) return value.map((inner) => walk(inner, hidden));
    if (typeof value !== 'object' || value === null) return value;
    const entry = route.action === 'history' ? changesIn(access, value) : null;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => !hidden.has(name))
        .map(([name, inner]) => {
          if (entry && name === 'changes') return [name, walk(inner, entry)];
          return [name, walk(inner, anything.has(name) ? access.hiddenAnywhere : hidden)];
        }),
    );
  };
  return walk(body, names);
}

/** Tables that are not called as their resource. */
const RESOURCES = dictionary({
  cob_runs: 'jobs/runs',
  collateral_items: 'collateral',
  journal_entries: 'ledger/entries',
  ledger_accounts: 'ledger/accounts',
  loan_promotions: 'loans',
  period_closings: 'ledger/closings',
  year_ends: 'ledger/year-ends',
  support_case_messages: 'case-messages',
  support_cases: 'cases',
  webhook_subscriptions: 'webhooks',
});
/** What the records of a table are called as a resource, by which rules name them. */
export const resourceNameOf = (table: string) => RESOURCES[table] ?? table.replaceAll('_', '-');

/** What a row of history may not tell: it is a change of a record of any kind. */
function changesIn(access: Access, row: object): Names | null {
  const { entity_type, changes } = row as { entity_type?: unknown; changes?: unknown };
  if (typeof entity_type !== 'string' || typeof changes !== 'object') return null;
  return access.hiddenIn(resourceNameOf(entity_type));
}

/** Refuses a body that names, at any depth, what the user may not write. */
export function assertFieldsWritable(access: Access, route: Route, body: unknown) {
  if (!isRole(route.allow)) return;
  const locked = access.lockedIn(route);
  const fields =
    locked.size === 0 ? [] : [...new Set(namesIn(body))].filter((name) => locked.has(name));
  if (fields.length > 0)
    throw denied(`You don't have permission to change ${fields.join(', ')}.`, fields);
}

const denied = (message: string, fields: readonly string[]) =>
  new Forbidden(message, 'permission_denied', { fields });

function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner)]);
}

/**
 * Refuses what would carry a denied fact out of the platform, or select by it: a tape with the column, a
 * webhook whose events have the field, a criterion. Files and texts are refused to every user who is
 * denied any field, because nothing can be cut out of them.
 */
export function assertFactsVisible(access: Access, carried: CarriedFacts) {
  if (!access.isRestricted) return;
  if (carried === 'anything')
    throw denied("This may contain fields that you don't have permission to see.", []);
  const facts = carried === 'portal' ? access.hiddenInPortal() : access.deniedAmong(carried);
  const fields = [...new Set(facts.map(fieldOf))];
  if (fields.length > 0)
    throw denied(`This uses ${fields.join(', ')}, which you don't have permission to see.`, fields);
}

const fieldOf = (fact: string) => fact.slice(fact.lastIndexOf('.') + 1);

/** The same for what an endpoint declares. With `judged` the endpoint asks by itself. */
export async function assertRouteFactsVisible({ carries }: Route, call: Call) {
  if (carries === undefined || carries === 'judged' || !call.access.isRestricted) return;
  assertFactsVisible(call.access, typeof carries === 'function' ? await carries(call) : carries);
}

/** The list as this user may ask for it: what is hidden is no field of it. */
export function restrictList(access: Access, { resource, list }: Route): ListDeclaration | null {
  const hidden = access.hiddenIn(resource);
  if (list === undefined || hidden.size === 0) return list ?? null;
  const isShown = (name: string) => !hidden.has(name);
  const { fields, filters, searched = Object.keys(fields), sort } = list;
  return {
    ...list,
    fields: Object.fromEntries(Object.entries(fields).filter(([name]) => isShown(name))),
    filters: filters.filter(isShown),
    hasSearch: list.hasSearch && searched.every(isShown),
    ...(sort && { sort: isShown(sort.field) ? sort : { field: 'id', descending: true } }),
    hidden,
  };
}

/**
 * What a JSON field holds of which this user sees nothing stays in it when he writes the rest: he could
 * not send it back.
 */
export function preserveHiddenFields(
  access: Access,
  resource: string,
  before: Input,
  body: Input,
): Input {
  const hidden = access.hiddenIn(resource);
  if (hidden.size === 0) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const kept = Object.entries(plain(before[name]));
      const unseen = kept.filter(([key]) => hidden.has(key));
      return [
        name,
        unseen.length > 0 && isPlain(value) ? { ...value, ...Object.fromEntries(unseen) } : value,
      ];
    }),
  );
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const plain = (value: unknown) => (isPlain(value) ? value : {});

/** A refusal as it is told to whom something is hidden from. */
export function redactRefusal(access: Access, error: unknown, method: string): unknown {
  // It names fields of the request and of the user's own denials, and nothing else.
  if (error instanceof Forbidden && Array.isArray(error.details?.['fields'])) return error;
  const answer = access.isRestricted ? errorAnswer(error, method) : null;
  if (answer === null || answer.status >= 500) return error;
  const { status, headers, body } = answer;
  const refusal = new HttpRefusal(status, body.code, body.message, { ...(headers && { headers }) });
  Object.assign(refusal.answer, { body: redactRefusalBody(access, body) });
  return refusal;
}

/**
 * Its sentences may hold figures, days and words of the records, which are left out, and so are its
 * particulars. Its code stays, and what it says of the request.
 */
export function redactRefusalBody(access: Access, body: ErrorAnswer['body']): ErrorAnswer['body'] {
  if (!access.isRestricted) return body;
  const { message, code, errors = {}, details = {} } = body;
  const own = Object.entries(details).filter(([name]) => OF_THE_REQUEST.has(name));
  const words = new Set(access.hiddenWords());
  const masked = (sentence: string) =>
    sentence.replace(/\d[\d.,:-]*|[a-z][a-z_]*/gi, (part) =>
      /^\d/.test(part) || words.has(part) ? '…' : part,
    );
  const told = Object.entries(errors).map(([field, sentence]) => [field, masked(sentence)]);
  return {
    message: masked(message),
    code,
    ...(body.errors && { errors: Object.fromEntries(told) as Record<string, string> }),
    ...(own.length > 0 && { details: Object.fromEntries(own) }),
  };
}

const OF_THE_REQUEST = new Set(['required_role', 'retry_after', 'fields']);

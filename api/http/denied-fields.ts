import { Forbidden } from '../../jobs/errors.ts';
import { dictionary } from '../../sql/dictionary.ts';
import { openEndedFields, freeTextFields } from '../endpoints/fact-locations.ts';
import type { ListDeclaration } from '../endpoints/list-declaration.ts';
import type { Call, CarriedFacts, Route } from '../endpoints/route.ts';
import type { Access } from '../endpoints/route.ts';
import { errorAnswer, HttpRefusal, type ErrorAnswer } from './errors.ts';
import { isRole } from './permissions.ts';

type FieldNames = ReadonlySet<string>;
type Input = Record<string, unknown>;

/** Removes fields hidden from this user from an answer, at any depth. */
export function omitHiddenFields(access: Access, route: Route, whole: unknown): unknown {
  if (!isRole(route.allow)) return whole;
  const body = route.action === 'history' ? omitUnreadableRecords(access, whole) : whole;
  if (!access.isRestricted) return body;
  const { resource } = route;
  const names = unseenFields(access, resource);
  const anything = new Set(openEndedFields(resource));
  const walk = (value: unknown, hidden: FieldNames): unknown => {
    if (Array.isArray(value)) return value.map((inner) => walk(inner, hidden));
    if (typeof value !== 'object' || value === null) return value;
    const entry = route.action === 'history' ? hiddenHistoryFields(access, value) : null;
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

/** Empties the history entries of records that the user could not read: they show who changed one, and when. */
function omitUnreadableRecords(access: Access, entries: unknown): unknown {
  if (!Array.isArray(entries)) return entries;
  const known = new Map<string, boolean>();
  return entries.map((entry: Record<string, unknown>) => {
    const resource = resourceNameOf(String(entry['entity_type']));
    const mayRead = known.get(resource) ?? access.mayRead(resource);
    known.set(resource, mayRead);
    return mayRead ? entry : { ...entry, changes: {}, reason: null };
  });
}

/** The fields of a resource that a user with a denied field does not see. */
const unseenFields = (access: Access, resource: string): FieldNames =>
  new Set([...access.hiddenIn(resource), ...freeTextFields(resource)]);

/** Tables whose name differs from their resource. */
const RESOURCES = dictionary({
  cob_runs: 'jobs/runs',
  collateral_items: 'collateral',
  journal_entries: 'ledger/entries',
  ledger_accounts: 'ledger/accounts',
  loan_promotions: 'loans',
  loan_rate_caps: 'loans',
  period_closings: 'ledger/closings',
  year_ends: 'ledger/year-ends',
  support_case_messages: 'case-messages',
  support_cases: 'cases',
  webhook_subscriptions: 'webhooks',
});
/** Returns the resource name of a table, as permission rules use it. */
export const resourceNameOf = (table: string) => RESOURCES[table] ?? table.replaceAll('_', '-');

/** The fields to hide in an audit history row, which can describe a record of any resource. */
function hiddenHistoryFields(access: Access, row: object): FieldNames | null {
  const { entity_type, changes } = row as { entity_type?: unknown; changes?: unknown };
  if (typeof entity_type !== 'string' || typeof changes !== 'object') return null;
  return unseenFields(access, resourceNameOf(entity_type));
}

/** Throws 403 if a body contains, at any depth, a field that the user must not write. */
export function assertFieldsWritable(access: Access, route: Route, body: unknown) {
  if (!isRole(route.allow)) return;
  const locked = access.lockedIn(route);
  const fields =
    locked.size === 0
      ? []
      : [...new Set(collectFieldNames(body))].filter((name) => locked.has(name));
  if (fields.length > 0)
    throw fieldsForbidden(`You don't have permission to change ${fields.join(', ')}.`, fields);
}

const fieldsForbidden = (message: string, fields: readonly string[]) =>
  new Forbidden(message, 'permission_denied', { fields });

function collectFieldNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(collectFieldNames);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...collectFieldNames(inner)]);
}

/**
 * Throws 403 if an operation would send a denied fact out of the platform or select by it, for example a
 * tape with the column, a webhook whose events have the field, or a criterion.
 *
 * Files and free texts are refused to every user who is denied any field, because no part of them can be
 * removed.
 */
export function assertFactsVisible(access: Access, carried: CarriedFacts) {
  if (!access.isRestricted) return;
  if (carried === 'anything')
    throw fieldsForbidden("This may contain fields that you don't have permission to see.", []);
  const facts = carried === 'portal' ? access.hiddenInPortal() : access.deniedAmong(carried);
  const fields = [...new Set(facts.map(fieldOf))];
  if (fields.length > 0)
    throw fieldsForbidden(
      `This uses ${fields.join(', ')}, which you don't have permission to see.`,
      fields,
    );
}

const fieldOf = (fact: string) => fact.slice(fact.lastIndexOf('.') + 1);

/** Checks the facts that an endpoint declares. An endpoint with `judged` checks them itself. */
export async function assertRouteFactsVisible({ carries }: Route, call: Call) {
  if (carries === undefined || carries === 'judged' || !call.access.isRestricted) return;
  assertFactsVisible(call.access, typeof carries === 'function' ? await carries(call) : carries);
}

/** The list declaration for this user, without hidden fields. */
export function restrictList(access: Access, { resource, list }: Route): ListDeclaration | null {
  if (list === undefined || !access.isRestricted) return list ?? null;
  const hidden = unseenFields(access, resource);
  const isShown = (name: string) => !hidden.has(name);
  const { fields, filters, searched = Object.keys(fields), also_searched = [], sort } = list;
  const denied = access.deniedAmong(also_searched);
  return {
    ...list,
    also_searched: also_searched.filter((fact) => !denied.includes(fact)),
    fields: Object.fromEntries(Object.entries(fields).filter(([name]) => isShown(name))),
    filters: filters.filter(isShown),
    hasSearch: list.hasSearch && searched.every(isShown),
    ...(sort && { sort: isShown(sort.field) ? sort : { field: 'id', descending: true } }),
    hidden,
  };
}

/**
 * Keeps the hidden parts of a JSON field when the user writes the rest, because the user could not send
 * them back.
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
      const kept = Object.entries(asPlainObject(before[name]));
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
const asPlainObject = (value: unknown) => (isPlain(value) ? value : {});

/** Redacts a refusal for a user from whom fields are hidden. */
export function redactRefusal(access: Access, error: unknown, method: string): unknown {
  // This refusal names only fields of the request and of the user's own denials.
  if (error instanceof Forbidden && Array.isArray(error.details?.['fields'])) return error;
  const answer = access.isRestricted ? errorAnswer(error, method) : null;
  if (answer === null || answer.status >= 500) return error;
  const { status, headers, body } = answer;
  const refusal = new HttpRefusal(status, body.code, body.message, { ...(headers && { headers }) });
  Object.assign(refusal.answer, { body: redactRefusalBody(access, body) });
  return refusal;
}

/**
 * Keeps the code and the errors about the request. Removes the details, and figures, dates and words that
 * may come from records.
 */
export function redactRefusalBody(access: Access, body: ErrorAnswer['body']): ErrorAnswer['body'] {
  if (!access.isRestricted) return body;
  const { message, code, errors = {}, details = {} } = body;
  const own = Object.entries(details).filter(([name]) => REQUEST_DETAILS.has(name));
  const words = new Set(access.hiddenWords());
  const masked = (sentence: string) =>
    sentence.replace(/\d[\d.,:-]*|[a-z][a-z_]*/gi, (part) =>
      /^\d/.test(part) || words.has(part) ? '…' : part,
    );
  const maskedErrors = Object.entries(errors).map(([field, sentence]) => [field, masked(sentence)]);
  return {
    message: masked(message),
    code,
    ...(body.errors && { errors: Object.fromEntries(maskedErrors) as Record<string, string> }),
    ...(own.length > 0 && { details: Object.fromEntries(own) }),
  };
}

const REQUEST_DETAILS = new Set(['required_role', 'retry_after', 'fields']);

import type { z } from 'zod';
import type { Transaction } from '../../../sql/database/db.ts';
import { sftpServers } from '../../../sql/documents/sftp-servers.ts';
import { rowExists } from '../../../sql/table.ts';
import { saveSettings } from '../../../sql/tenants.ts';
import * as stored from '../../../sql/users/settings.ts';
import { differences, recordAudit } from '../../audit.ts';
import { requestLogo } from '../branding/logo.ts';
import { Invalid } from '../../errors.ts';
import { hintAt } from '../../nearest-word.ts';
import { checkWebhookUrl } from '../../networks/host-url.ts';
import type { Networks } from '../../networks/networks.ts';
import type { Work } from '../../work.ts';
import { isOwnOrigin, Settings, settingsOf } from './settings.ts';
import { findLocaleProblems, type TenantLocale } from './tenant-locale.ts';
import { weakensAccess } from './weakened-controls.ts';

type Tree = { [key: string]: unknown };

/** The tenant's fixed facts and its settings as one object. */
export async function tenantSettings({ tx }: Work) {
  return { ...(await stored.tenantFacts(tx)), ...(await settingsOf(tx)) };
}

/**
 * Changes the given keys at any depth and keeps all others. Lists are replaced as a whole. Time zone,
 * currency and locale can be changed; other tenant facts may only be sent back unchanged. `check` receives
 * the current values under the lock. Throws Invalid.
 */
export async function changeSettings(
  work: Work,
  given: Tree,
  check: (current: Tree) => void = () => {},
) {
  const { tx, tenant_id } = work;
  const { before, after, place } = await checkedChange(work, given, check);
  await saveSettings(tx, nonDefaults(Settings.parse({}), after));
  if (place !== null) await stored.saveTenantLocale(tx, place.after);
  const { logo_url } = after.branding;
  if (logo_url !== '' && logo_url !== before.branding.logo_url) await requestLogo(work, logo_url);
  const entity = { type: 'tenants', id: tenant_id };
  const changes = differences(
    flattenTree({ ...before, ...place?.before }, tenant_id),
    flattenTree({ ...after, ...place?.after }, tenant_id),
  );
  await recordAudit(work, entity, 'update-settings', changes);
  return tenantSettings(work);
}

/**
 * Whether a settings change needs maker–checker approval: always if it removes an approval requirement, and
 * for any other change if the tenant requires approval of settings.
 */
export async function requiresApproval(work: Work, given: Tree, check: (current: Tree) => void) {
  const { before, after, place } = await checkedChange(work, given, check);
  const { four_eyes } = after.approvals;
  const isChanged = place !== null || JSON.stringify(before) !== JSON.stringify(after);
  if (isChanged && before.approvals.four_eyes.includes('settings')) return true;
  return before.approvals.four_eyes.some((kind) => !four_eyes.includes(kind));
}

/** Whether the change weakens an access control. */
export async function weakensControls(work: Work, given: Tree) {
  const { before, after } = await checkedChange(work, given, () => {});
  return weakensAccess(before, after);
}

/** The settings that a request would change, before and after, for the checker. */
export async function settingsContent(work: Work, given: Tree) {
  const { before, after, place } = await checkedChange(work, given, () => {});
  const old = flattenTree({ ...before, ...place?.before }, '');
  const now = flattenTree({ ...after, ...place?.after }, '');
  const changed = Object.keys(now).filter(
    (name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]),
  );
  return {
    settings: Object.fromEntries(
      changed.map((name) => [name, { before: old[name], after: now[name] }]),
    ),
  };
}

/** Locks and validates: returns the current settings and the settings after the change. */
async function checkedChange(
  { tx, installation }: Work,
  given: Tree,
  check: (current: Tree) => void,
) {
  await stored.lockSettings(tx);
  const facts = await stored.tenantFacts(tx);
  const before: Settings = await settingsOf(tx);
  check({ ...facts, ...before });
  const wanted = Object.fromEntries(
    Object.entries(given).filter(([key]) => !Object.hasOwn(facts, key)),
  );
  const checked = Settings.safeParse(mergeTrees(before, wanted));
  const problems = checked.success ? {} : problemsOf(checked.error.issues);
  const place = await changeLocation(tx, facts, given, problems);
  if (!checked.success || Object.keys(problems).length > 0) throw new Invalid(problems);
  assertOwn(checked.data, before, { ...facts, ...installation });
  await assertServer(tx, checked.data, before);
  return { before, after: checked.data, place };
}

/**
 * Returns the change of time zone, currency or locale, or null. Reports a problem for a change of any other
 * fact. Amounts are stored without a currency, so the currency cannot change once loans exist.
 */
async function changeLocation(
  tx: Transaction,
  facts: z.output<typeof stored.TenantFacts>,
  given: Tree,
  problems: Record<string, string>,
) {
  const { time_zone, currency, locale } = facts;
  const before: TenantLocale = { time_zone: facts.next_time_zone ?? time_zone, currency, locale };
  for (const [name, value] of Object.entries(given)) {
    if (name in before || !Object.hasOwn(facts, name) || isStale(name, value, facts)) continue;
    if (JSON.stringify(value) !== JSON.stringify(facts[name as keyof typeof facts]))
      problems[name] = 'Cannot be changed here. Ask the operator of the installation.';
  }
  // A form that sends back all values must not cancel a time zone change that is scheduled for the next
  // business date.
  const isSentBack = 'next_time_zone' in given && given['time_zone'] === time_zone;
  const named = Object.entries(given).filter(
    ([name]) => name in before && !(isSentBack && name === 'time_zone'),
  );
  Object.assign(problems, findLocaleProblems(Object.fromEntries(named)));
  const after: TenantLocale = { ...before, ...Object.fromEntries(named) };
  if (after.currency !== currency && (await stored.hasLoans(tx)))
    problems['currency'] ??= 'Cannot be changed once loans exist.';
  return JSON.stringify(after) === JSON.stringify(before) ? null : { before, after };
}

/** A value that a form read on an earlier business date is not a change. */
const isStale = (name: string, value: unknown, facts: z.output<typeof stored.TenantFacts>) =>
  (name === 'business_date' && typeof value === 'string' && value < facts.business_date) ||
  (name === 'next_time_zone' && value === facts.time_zone);

/** Checks settings that depend on the tenant's domains and on the networks allowed by the installation. */
function assertOwn(
  { auth, branding, webhooks }: Settings,
  before: Settings,
  { domains, networks }: { domains: readonly string[]; networks: Networks },
) {
  const errors: Record<string, string> = {};
  const { site_origin } = auth;
  if (site_origin !== before.auth.site_origin && !isOwnOrigin(site_origin, domains))
    errors['auth.site_origin'] = `Must be on one of your domains: ${domains.join(', ')}.`;
  const { logo_url } = branding;
  const logo = logo_url === '' ? { href: '' } : checkWebhookUrl(logo_url, networks);
  if (logo_url !== before.branding.logo_url && 'problem' in logo)
    errors['branding.logo_url'] = logo.problem;
  const isOpened = webhooks.allow_private_hosts && !before.webhooks.allow_private_hosts;
  if (isOpened && !networks.may_tenants_open)
    errors['webhooks.allow_private_hosts'] =
      'Has no effect in production. Ask the operator to add the network to PRIVATE_NETWORKS.';
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}

/** A missing server would otherwise only be noticed when the first batch fails. */
async function assertServer(tx: Transaction, wanted: Settings, before: Settings) {
  const { sftp_server_id: id } = wanted.communications.mail_house;
  if (id === '' || id === before.communications.mail_house.sftp_server_id) return;
  if (!(await rowExists(tx, sftpServers, id)))
    throw new Invalid({ 'communications.mail_house.sftp_server_id': 'Does not exist.' });
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Uses own keys only and a Map, to prevent prototype pollution. */
function mergeTrees(base: Tree, changes: Tree): Tree {
  const result = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(changes)) {
    const old = Object.hasOwn(base, key) ? base[key] : undefined;
    result.set(key, isTree(old) && isTree(value) ? mergeTrees(old, value) : value);
  }
  return Object.fromEntries(result);
}

/** The settings that differ from the defaults. */
function nonDefaults(defaults: Tree, settings: Tree): Tree {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([key, value]) => {
      const usual = defaults[key];
      if (JSON.stringify(value) === JSON.stringify(usual)) return [];
      return [[key, isTree(value) && isTree(usual) ? nonDefaults(usual, value) : value]];
    }),
  );
}

/** Flattens nested keys to paths such as `auth.idle_minutes`, for the audit trail. */
function flattenTree(tree: Tree, id: string, prefix = ''): Tree & { id: string } {
  const entries = Object.entries(tree).flatMap(([key, value]): [string, unknown][] =>
    isTree(value)
      ? Object.entries(flattenTree(value, '', `${prefix}${key}.`))
      : [[prefix + key, value]],
  );
  return { ...Object.fromEntries(entries.filter(([key]) => key !== 'id')), id };
}

/** The paths of all settings. */
const KNOWN = pathsOf(Settings.parse({}));

function pathsOf(tree: Tree, prefix = ''): string[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    isTree(value) && Object.keys(value).length > 0
      ? pathsOf(value, `${prefix}${key}.`)
      : [prefix + key],
  );
}

/** Finding the nearest setting takes milliseconds, so only the first unknown names get a hint. */
const HINTS_MAX = 5;
/** Maximum number of problems reported per request. */
const PROBLEMS_MAX = 100;

function problemsOf(issues: readonly Issue[]): Record<string, string> {
  const problems = new Map<string, string>();
  let hints = 0;
  for (const { path, message, code, keys = [] } of issues) {
    const unknown = code === 'unrecognized_keys' ? keys : [];
    for (const key of unknown.slice(0, PROBLEMS_MAX)) {
      const unknownPath = [...path, key].join('.');
      hints += 1;
      const hint = hints > HINTS_MAX ? '' : hintAt(unknownPath, KNOWN);
      problems.set(unknownPath, `Is not a setting.${hint}`);
    }
    const field = path.join('.') || 'body';
    if (unknown.length === 0 && !problems.has(field)) problems.set(field, message);
  }
  return Object.fromEntries([...problems].slice(0, PROBLEMS_MAX));
}
type Issue = { path: PropertyKey[]; message: string; code: string; keys?: string[] };

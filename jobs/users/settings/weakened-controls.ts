import { dictionary } from '../../../sql/dictionary.ts';
import type { Settings } from './settings.ts';

type WeakerTest = (before: unknown, after: unknown) => boolean;

const raised: WeakerTest = (before, after) => Number(after) > Number(before);
const lowered: WeakerTest = (before, after) => Number(after) < Number(before);
const changed: WeakerTest = (before, after) => after !== before;
const switchedOff: WeakerTest = (before, after) => before === true && after !== true;
const switchedOn: WeakerTest = (before, after) => before !== true && after === true;
const hasFewer: WeakerTest = (before, after) =>
  listOf(before).some((one) => !listOf(after).includes(one));
const hasMore: WeakerTest = (before, after) => hasFewer(after, before);

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Access control settings, and the change that weakens each of them. */
export const CONTROLS = dictionary<WeakerTest>({
  'approvals.four_eyes': hasFewer,
  'approvals.expire_days': raised,
  'auth.idle_minutes': raised,
  'auth.absolute_hours': raised,
  'auth.portal_idle_minutes': raised,
  'auth.password_min': lowered,
  'auth.second_factor.staff': switchedOff,
  'auth.second_factor.borrowers': switchedOff,
  'auth.trusted_origins': hasMore,
  'auth.site_origin': changed,
  'throttle.login': raised,
  'throttle.request': raised,
  'throttle.reset': raised,
  'throttle.second_factor': raised,
  'documents.upload_ttl_s': raised,
  'documents.download_ttl_s': raised,
  'nacha.apply_change_notices': switchedOn,
  'webhooks.allow_private_hosts': switchedOn,
});

/** The value of a setting path such as `auth.idle_minutes`. */
function settingAt(settings: Settings, path: string): unknown {
  let found: unknown = settings;
  for (const key of path.split('.')) found = new Map(Object.entries(found ?? {})).get(key);
  return found;
}

/** Whether any control is weaker in the new settings. */
export const weakensAccess = (before: Settings, after: Settings): boolean =>
  Object.entries(CONTROLS).some(
    ([path, weaker]) => weaker?.(settingAt(before, path), settingAt(after, path)) ?? false,
  );

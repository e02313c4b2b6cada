import { changeSettingsOfTenant } from '../../jobs/cases/change-settings.ts';
import { z } from 'zod';
import {
  requiresApproval,
  settingsContent,
  tenantSettings,
  weakensControls,
} from '../../jobs/users/settings/change-settings.ts';
import { Settings } from '../../jobs/users/settings/settings.ts';
import { TenantFacts } from '../../sql/users/settings.ts';
import type { Route } from '../endpoints/route.ts';

const reply = Settings.extend(TenantFacts.shape).meta({ id: 'TenantSettings' });

/** The version covers the settings only, so a new business date does not change it. */
const version = { reply, names: Object.keys(Settings.shape) };

/** Whether the settings name a server that receives batches of letters automatically. */
const setsMailHouse = (body: unknown) => {
  const { communications } = body as { communications?: { mail_house?: unknown } };
  return communications?.mail_house !== undefined;
};

const { time_zone, currency, locale } = TenantFacts.shape;
const located = { time_zone: time_zone.max(60), currency: currency.max(3), locale: locale.max(20) };

/**
 * Describes any subset of the settings. `changeSettings` validates them, because some rules need the current
 * settings. Other facts of the tenant may be sent back unchanged.
 */
const SettingsChange = z.looseObject({}).meta({
  properties: z.toJSONSchema(Settings.extend(z.object(located).partial().shape), { io: 'input' })
    .properties,
});

const routeDefaults = {
  tag: 'users',
  resource: 'tenant',
  path: '/tenant/settings',
  reply,
  status: 200,
  etag: version,
} as const;

export const tenantRoutes: Route[] = [
  {
    ...routeDefaults,
    method: 'GET',
    action: 'show',
    summary: 'Get tenant settings',
    description: 'All settings, including those that have their default value.',
    allow: 'admin',
    transaction: 'read',
    run: ({ work }) => tenantSettings(work),
  },
  {
    ...routeDefaults,
    method: 'PUT',
    action: 'edit',
    summary: 'Update tenant settings',
    description:
      'Changes only the settings that you send, at any depth. A list is replaced as a whole. An unknown setting or an invalid value is refused with 422, and nothing changes.',
    allow: 'superadmin',
    security_event: 'settings_change',
    transaction: 'write',
    body: SettingsChange,
    example: () => ({ branding: { support_phone: '+12025550123' } }),
    ifMatch: version,
    four_eyes: 'settings',
    needs_proof: ({ work, body }) => weakensControls(work, body as Record<string, unknown>),
    carries: ({ body }) => Promise.resolve(setsMailHouse(body) ? 'anything' : []),
    asks: ({ work, body, checkMatch }) =>
      requiresApproval(work, body as Record<string, unknown>, checkMatch),
    content: ({ work, body }) => settingsContent(work, body as Record<string, unknown>),
    run: ({ work, body, checkMatch }) =>
      changeSettingsOfTenant(work, body as Record<string, unknown>, checkMatch),
  },
];

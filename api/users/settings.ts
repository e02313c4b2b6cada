import { z } from 'zod';
import {
  changeSettings,
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
    allow: 'admin',
    transaction: 'read',
    run: ({ work }) => tenantSettings(work),
  },
  {
    ...routeDefaults,
    method: 'PUT',
    action: 'edit',
    summary: 'Update tenant settings',
    description: 'Changes only the settings that you send.',
    allow: 'superadmin',
    security_event: 'settings_change',
    transaction: 'write',
    body: z.looseObject({}),
    ifMatch: version,
    four_eyes: 'settings',
    needs_proof: ({ work, body }) => weakensControls(work, body as Record<string, unknown>),
    carries: ({ body }) => Promise.resolve(setsMailHouse(body) ? 'anything' : []),
    asks: ({ work, body, checkMatch }) =>
      requiresApproval(work, body as Record<string, unknown>, checkMatch),
    content: ({ work, body }) => settingsContent(work, body as Record<string, unknown>),
    run: ({ work, body, checkMatch }) =>
      changeSettings(work, body as Record<string, unknown>, checkMatch),
  },
];

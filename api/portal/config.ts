import { z } from 'zod';
import { tenantSettings } from '../../jobs/users/change-settings.ts';
import type { Route } from '../endpoints/route.ts';

/** What the login page shows before anybody has signed in. */
export const portalConfig: Route = {
  tag: 'portal',
  resource: 'portal',
  action: 'config',
  summary: 'Branding for the login page',
  method: 'GET',
  path: '/portal/config',
  allow: 'anyone',
  transaction: 'read',
  status: 200,
  reply: z.object({
    tenant_name: z.string(),
    logo_url: z.string(),
    primary_color: z.string(),
    secondary_color: z.string(),
    support_email: z.string(),
    support_phone: z.string(),
  }),
  run: async ({ work }) => {
    const { name, branding } = await tenantSettings(work);
    return { tenant_name: name, ...branding };
  },
};

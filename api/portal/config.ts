import { z } from 'zod';
import { tenantSettings } from '../../jobs/users/settings/change-settings.ts';
import type { Route } from '../endpoints/route.ts';

const branding = z.object({
  tenant_name: z.string(),
  logo_url: z.string(),
  primary_color: z.string(),
  secondary_color: z.string(),
  support_email: z.string(),
  support_phone: z.string(),
  locale: z.string().describe('How amounts and dates are written.'),
  currency: z.string(),
  time_zone: z.string(),
  hardship_pause_days: z
    .int()
    .describe('Days for which a hardship application pauses collection contacts. 0: no pause.'),
});
export type PortalConfig = z.output<typeof branding>;

export const portalConfig: Route = {
  tag: 'portal',
  resource: 'portal',
  action: 'config',
  summary: 'Get the branding for the sign-in page',
  description: 'What a sign-in page of your own shows before anyone has signed in.',
  method: 'GET',
  path: '/portal/config',
  allow: 'anyone',
  transaction: 'read',
  status: 200,
  reply: branding,
  run: async ({ work }) => {
    const { name: tenant_name, ...tenant } = await tenantSettings(work);
    const { locale, currency, time_zone, branding, portal } = tenant;
    const { hardship_pause_days } = portal;
    return { tenant_name, locale, currency, time_zone, hardship_pause_days, ...branding };
  },
};

import { z } from 'zod';
import { tenantSettings } from '../../jobs/users/settings/change-settings.ts';
import type { Route } from '../endpoints/route.ts';

const branding = z.object({
  tenant_name: z.string().describe('The name of the lender.'),
  logo_url: z.string().describe('The address of the logo. Empty if there is none.'),
  primary_color: z.string().describe('The color of the page header, such as #1f3a5f.'),
  secondary_color: z.string().describe('The color of accents, such as #5f7d9c.'),
  support_email: z.string().describe('The address for questions. Empty if there is none.'),
  support_phone: z.string().describe('The number for questions. Empty if there is none.'),
  locale: z.string().describe('How amounts and dates are written.'),
  currency: z.string().describe('The currency of all amounts, such as USD.'),
  time_zone: z.string().describe("The time zone of the lender's calendar days."),
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

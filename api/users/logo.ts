import { z } from 'zod';
import {
  getLogoStatus,
  refetchLogo,
  tooManyLogos,
  noLogo,
} from '../../jobs/users/branding/logo.ts';
import { timestamp } from '../../sql/types.ts';
import { endpoint } from '../endpoints/resource.ts';

const routeDefaults = {
  path: '/tenant/logo',
  tag: 'users',
  resource: 'tenant',
  status: 200,
  reply: z
    .object({
      url: z.string().describe('branding.logo_url of the settings.'),
      status: z
        .enum(['none', 'pending', 'ready', 'failed'])
        .describe('Whether letters show it. A worker fetches the logo after it is set.'),
      problem: z.string().nullable().describe('Why the logo is not shown.'),
      content_type: z.string().nullable(),
      width: z.int().nullable().describe('In points; null for SVG.'),
      height: z.int().nullable().describe('In points; null for SVG.'),
      sha256_hash: z.string().nullable(),
      created_at: timestamp.nullable().describe('When it was requested.'),
    })
    .meta({ id: 'TenantLogo' }),
} as const;

/** An extension of the specification: the logo on a tenant's letters. */
export const logoRoutes = [
  endpoint({
    ...routeDefaults,
    method: 'GET',
    action: 'show-logo',
    allow: 'viewer',
    summary: 'Get the letter logo and the result of its last fetch',
    description:
      'A worker downloads and test-prints the logo after you set `branding.logo_url`. Read here whether letters show it, and why not.',
    transaction: 'read',
    run: ({ work }) => getLogoStatus(work),
  }),
  endpoint({
    ...routeDefaults,
    method: 'POST',
    action: 'fetch-logo',
    allow: 'superadmin',
    summary: 'Fetch the letter logo again',
    description:
      'A worker downloads `branding.logo_url` again, after the picture at that address has changed. Existing letters keep their logo.',
    conflicts: () => [tooManyLogos(), noLogo()],
    transaction: 'write',
    run: ({ work }) => refetchLogo(work),
  }),
];

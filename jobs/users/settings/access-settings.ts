import { z } from 'zod';
import {
  attemptLimit,
  perMinute,
  perMinuteShared,
  settingGroup,
  webOrigin,
} from './setting-types.ts';

/** Tenant settings that protect the tenant: approvals, sign-in and rate limits. */

/**
 * Actions for which a tenant can require maker–checker approval, in addition to modifications, which have
 * their own approval state.
 */
export const APPROVAL_KINDS = [
  'disbursements',
  'reversals',
  'refunds',
  'suspense',
  'invitations',
  'redactions',
  'destinations',
  'credit_corrections',
  'imports',
  'book_exports',
  'settings',
] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

export const approvals = settingGroup('Actions that need a second person.', {
  four_eyes: z
    .array(z.enum(['modifications', ...APPROVAL_KINDS]))
    .max(20)
    .default([])
    .describe(
      'The actions that a second person must approve. `modifications`: loan modifications. `disbursements`: disbursements and draws. `reversals`: reversals of payments, disbursements and credits. `refunds`: refunds. `suspense`: applying suspense to a loan. `invitations`: users, roles, permissions and identity providers. `redactions`: redacting a borrower. `destinations`: where data and money go, such as webhooks, tapes, SFTP servers and verified bank accounts. `credit_corrections`: corrections of what was reported to credit bureaus. `book_exports`: exports of whole books. `imports`: boarding the loans of an import. `settings`: these settings. Removing an action always needs approval.',
    ),
  expire_days: z
    .int()
    .min(1)
    .max(90)
    .default(7)
    .describe('Days after which a pending request expires.'),
});

export const auth = settingGroup('Sign-in and sessions.', {
  idle_minutes: z
    .int()
    .min(5)
    .max(480)
    .default(60)
    .describe('Minutes without a request after which a staff session ends.'),
  absolute_hours: z
    .int()
    .min(1)
    .max(336)
    .default(12)
    .describe('Hours after which every session ends, even if it is in use.'),
  portal_idle_minutes: z
    .int()
    .min(5)
    .max(480)
    .default(30)
    .describe("Minutes without a request after which a borrower's session ends."),
  password_min: z
    .int()
    .min(8)
    .max(32)
    .default(12)
    .describe('The minimum length of new passwords, in characters.'),
  second_factor: settingGroup(
    'Who must sign in with two factors. A user without a second factor enrolls one at the next sign-in; sessions with one factor are refused.',
    {
      staff: z.boolean().default(false).describe('Whether staff must use two factors.'),
      borrowers: z.boolean().default(false).describe('Whether borrowers must use two factors.'),
    },
  ),
  trusted_origins: z
    .array(webOrigin)
    .max(20)
    .default([])
    .describe(
      "Origins of your own dashboards, such as https://admin.example.com. Their pages may call the API with a user's session (CORS) and use passkeys.",
    ),
  site_origin: z
    .union([webOrigin, z.literal('')])
    .default('')
    .describe(
      'The origin of links in emails and letters. Must be on one of the domains of the tenant. Default: the first domain, over HTTPS.',
    ),
});

export const throttle = settingGroup(
  'Rate limits, per minute. Requests above a limit are answered 429 with Retry-After.',
  {
    login: attemptLimit
      .default(10)
      .describe(
        'Sign-in attempts from one network (an IPv4 address or an IPv6 /64), and failed attempts at one account, which count separately for each known device.',
      ),
    request: attemptLimit
      .default(5)
      .describe('Requests for a password reset link from one network.'),
    reset: attemptLimit
      .default(5)
      .describe(
        'Attempts to set a password with a link from one network, and wrong current passwords of a signed-in user.',
      ),
    second_factor: attemptLimit
      .default(5)
      .describe(
        'Wrong second factors of one account, which count separately for each known device.',
      ),
    anon: perMinuteShared.describe('Requests without a session from one network. Null: no limit.'),
    user: perMinuteShared.describe('Requests of one staff user. Null: no limit.'),
    portal: perMinuteShared.describe('Requests of one borrower. Null: no limit.'),
    upload: perMinute.describe('Upload links and uploads of one user. Null: no limit.'),
    communication: perMinute.describe(
      'Requests of one user that send messages to borrowers. Null: no limit.',
    ),
  },
);

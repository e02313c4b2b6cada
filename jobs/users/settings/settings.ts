import { z } from 'zod';
import type { Transaction } from '../../../sql/database/db.ts';
import * as tenants from '../../../sql/tenants.ts';
import { FILE_BYTES_MAX } from '../../files/files.ts';
import { communications } from './communication-settings.ts';
import { COMPLIANCE_CHECKS } from './compliance-checks.ts';
import { DocumentYears } from './document-years.ts';
import {
  agency,
  furnisherCode,
  webOrigin,
  logoUrl,
  singleLine,
  mailbox,
  tolerance,
  routingNumber,
  asciiLine,
  perMinute,
  perMinuteShared,
  attemptLimit,
} from './setting-types.ts';

const CheckLevel = z.enum(['off', 'warn', 'hard']);

const checkLevels = z.partialRecord(z.enum(COMPLIANCE_CHECKS), CheckLevel, {
  error: ({ code }) => (code === 'invalid_key' ? 'There is no such check.' : undefined),
});

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
  // Where data and money go: webhooks, tapes, SFTP servers, investor accounts, verified accounts.
  'destinations',
  'settings',
] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/**
 * A tenant's settings with their defaults. The keys are also the API's field names. Only differences from
 * the defaults are stored.
 */
export const Settings = z.strictObject({
  // The time on the next morning at which a business date ends, in the tenant's time zone.
  eod_cutoff_time: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time like 02:30.')
    .default('00:00'),
  branding: z
    .strictObject({
      logo_url: logoUrl.default(''),
      primary_color: z
        .string()
        .regex(/^#[0-9a-f]{6}$/i, 'Must be a color like #1f3a5f.')
        .default('#1f3a5f'),
      secondary_color: z
        .string()
        .regex(/^#[0-9a-f]{6}$/i, 'Must be a color like #1f3a5f.')
        .default('#5f7d9c'),
      support_email: mailbox.default(''),
      support_phone: singleLine.default(''),
      address_line_1: singleLine.default(''),
      address_line_2: singleLine.default(''),
    })
    .prefault({}),
  compliance: z
    .strictObject({
      hard_enforcement: z.boolean().default(false),
      run_on_approve: z.boolean().default(true),
      checks: checkLevels.default({}),
    })
    .prefault({}),
  approvals: z
    .strictObject({
      four_eyes: z
        .array(z.enum(['modifications', ...APPROVAL_KINDS]))
        .max(20)
        .default([]),
      expire_days: z.int().min(1).max(90).default(7),
    })
    .prefault({}),
  accounting: z
    .strictObject({
      // Whether payments relieve accrued receivables. Applies to loans created after a change.
      accrual_relief: z.boolean().default(true),
      reverse_interest_on_non_accrual: z.boolean().default(true),
      // When ACH payments count as cash: on the effective date of their file, or on the date they are
      // ordered.
      ach_cash: z.enum(['effective_date', 'payment_date']).default('effective_date'),
    })
    .prefault({}),
  delinquency: z
    .strictObject({
      satisfied_tolerance: tolerance.default('0.00'),
      pause_in_forbearance: z.boolean().default(true),
    })
    .prefault({}),
  // Whether the close pays complete bills from suspense.
  suspense: z.strictObject({ pays_bills: z.boolean().default(false) }).prefault({}),
  non_accrual: z.strictObject({ auto: z.boolean().default(false) }).prefault({}),
  charge_off: z
    .strictObject({
      auto_enabled: z.boolean().default(false),
      require_default: z.boolean().default(false),
    })
    .prefault({}),
  payoff: z
    .strictObject({
      // Default for new products that do not set their own value.
      quote_valid_days: z.int().min(1).max(60).default(10),
      tolerance: tolerance.default('1.00'),
    })
    .prefault({}),
  communications,
  webhooks: z
    .strictObject({
      timeout_ms: z.int().min(1000).max(30_000).default(10_000),
      max_retries: z.int().min(0).max(3).default(3),
      retry_delays: z.array(z.int().min(1).max(86_400)).max(3).default([10, 60, 300]),
      disable_after: z.int().min(1).max(100).default(5),
      rotation_overlap_hours: z.int().min(0).max(168).default(24),
      keep_attempts_days: z.int().min(1).max(365).default(30),
      allow_private_hosts: z.boolean().default(false),
    })
    .prefault({}),
  documents: z
    .strictObject({
      max_bytes: z.int().min(1024).max(FILE_BYTES_MAX).default(26_214_400),
      upload_ttl_s: z.int().min(60).max(86_400).default(900),
      download_ttl_s: z.int().min(60).max(604_800).default(300),
    })
    .prefault({}),
  auth: z
    .strictObject({
      idle_minutes: z.int().min(5).max(480).default(60),
      absolute_hours: z.int().min(1).max(336).default(12),
      portal_idle_minutes: z.int().min(5).max(480).default(30),
      password_min: z.int().min(8).max(32).default(12),
      // Who must use two factors. A user without a second factor enrolls one at the next sign-in.
      second_factor: z
        .strictObject({
          staff: z.boolean().default(false),
          borrowers: z.boolean().default(false),
        })
        .prefault({}),
      trusted_origins: z.array(webOrigin).max(20).default([]),
      // The origin of links in emails: one of the tenant's domains, never taken from a request.
      site_origin: z.union([webOrigin, z.literal('')]).default(''),
    })
    .prefault({}),
  throttle: z
    .strictObject({
      login: attemptLimit.default(10),
      request: attemptLimit.default(5),
      reset: attemptLimit.default(5),
      second_factor: attemptLimit.default(5),
      anon: perMinuteShared,
      user: perMinuteShared,
      portal: perMinuteShared,
      upload: perMinute,
      communication: perMinute,
    })
    .prefault({}),
  credit_reporting: z
    .strictObject({
      enabled: z.boolean().default(false),
      reporter_name: singleLine.default(''),
      reporter_address: singleLine.default(''),
      reporter_phone: singleLine.default(''),
      identification_number: furnisherCode.default(''),
      // Every request reads the settings, so each of them has a size limit.
      program_ids: z
        .record(z.string().max(20), singleLine)
        .refine((ids) => Object.keys(ids).length <= 100, 'Must be at most 100.')
        .default({}),
    })
    .prefault({}),
  // Identifies the sender and its bank in ACH files, as agreed with the bank. A file needs all of these
  // values.
  nacha: z
    .strictObject({
      immediate_destination: routingNumber.default(''),
      immediate_destination_name: asciiLine.max(23).default(''),
      immediate_origin: asciiLine.max(10).default(''),
      immediate_origin_name: asciiLine.max(23).default(''),
      company_name: asciiLine.max(16).default(''),
      company_id: asciiLine.max(10).default(''),
      odfi_routing_number: routingNumber.default(''),
      entry_description: asciiLine.min(1).max(10).default('LOAN PMT'),
      // Whether accounts are corrected automatically when their bank sends a notification of change.
      apply_change_notices: z.boolean().default(false),
    })
    .prefault({}),
  portal: z
    .strictObject({
      // Whether the portal asks for confirmation if the same payment is ordered twice within a minute.
      asks_about_repeats: z.boolean().default(false),
      // Whether browsers that open the address `/` go to the portal instead of a page of links.
      is_home_page: z
        .boolean()
        .default(false)
        .describe(
          'Whether browsers that open the tenant’s address without a path go to the borrower portal. Otherwise they see links to the portal, the staff pages and the API documentation.',
        ),
    })
    .prefault({}),
  adverse_action: agency,
  tax: z
    .strictObject({
      payer_name: singleLine.default(''),
      payer_tin: z
        .union([z.string().regex(/^\d{2}-?\d{7}$/, 'Must be like 12-3456789.'), z.literal('')])
        .default(''),
      payer_address: singleLine.default(''),
    })
    .prefault({}),
  // How long a borrower's data must be kept after the last loan has ended, how long an export can be
  // downloaded, and how long documents are kept.
  retention: z
    .strictObject({
      borrower_years: z.int().min(1).max(50).default(7),
      export_days: z.int().min(1).max(90).default(14),
      document_years: DocumentYears.prefault({}),
    })
    .prefault({}),
  idempotency: z.strictObject({ ttl_hours: z.int().min(1).max(720).default(24) }).prefault({}),
});
export type Settings = z.output<typeof Settings>;

/** Whether an origin belongs to one of these domains. True for an empty origin. */
export const isOwnOrigin = (site: string, domains: readonly string[]) =>
  site === '' || domains.includes(new URL(site).hostname);

/** The tenant's settings with defaults. Stored values that are no longer valid count as unset. */
export const settingsOf = async (tx: Transaction): Promise<Settings> =>
  readSettings((await tenants.currentTenant(tx)).settings);

/** Parses stored settings that another statement has already read. */
export function readSettings(settings: Record<string, unknown>): Settings {
  const read = Settings.safeParse(settings);
  if (read.success) return read.data;
  const kept = structuredClone(settings) as Tree;
  for (const { path, ...issue } of read.error.issues) {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [];
    for (const at of keys.length > 0 ? keys.map((key) => [...path, key]) : [path])
      unset(kept, at.map(String));
  }
  return Settings.parse(kept);
}

type Tree = { [key: string]: unknown };

/** Removes a single key. A list is removed as a whole. */
function unset(tree: Tree, [key = '', ...below]: string[]) {
  const value = tree[key];
  const isTree = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (isTree && below.length > 0) unset(value as Tree, below);
  else delete tree[key];
}

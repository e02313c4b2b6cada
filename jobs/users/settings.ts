import { z } from 'zod';
import type { Transaction } from '../../sql/database/db.ts';
import * as tenants from '../../sql/tenants.ts';
import { FILE_BYTES_MAX } from '../files/files.ts';
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

/** What a tenant may ask two people for, beside modifications, which have a state of their own. */
export const APPROVAL_KINDS = [
  'disbursements',
  'reversals',
  'refunds',
  'suspense',
  'invitations',
  'redactions',
  // Where data and money may go: webhooks, tapes, SFTP servers, accounts of investors, verified accounts.
  'destinations',
  'settings',
] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/**
 * What a tenant may set, with its defaults. The keys of this object are the keys on
 * the wire; only what differs from the defaults is stored.
 */
export const Settings = z.strictObject({
  // When a day ends on the morning after it, where the tenant is.
  eod_cutoff_time: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time like 02:30.')
    .default('00:00'),
  branding: z
    .strictObject({
      logo_url: logoUrl.default(''),
      primary_color: z
        .string()
        .regex(/^#[0-9a-f]{6}$/i)
        .default('#1f3a5f'),
      secondary_color: z
        .string()
        .regex(/^#[0-9a-f]{6}$/i)
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
      // Whether payments relieve the receivables of the loans that are made from then on.
      accrual_relief: z.boolean().default(true),
      reverse_interest_on_non_accrual: z.boolean().default(true),
      // When what is ordered from banks counts as cash: on the day of its file, or of its order.
      ach_cash: z.enum(['effective_date', 'payment_date']).default('effective_date'),
    })
    .prefault({}),
  delinquency: z
    .strictObject({
      satisfied_tolerance: tolerance.default('0.00'),
      pause_in_forbearance: z.boolean().default(true),
    })
    .prefault({}),
  // Whether the close pays whole bills with money that waits in suspense.
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
      // For products that are made without a number of their own.
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
      // Who is let in by two factors only; whoever has no second one enrolls it at the next sign-in.
      second_factor: z
        .strictObject({
          staff: z.boolean().default(false),
          borrowers: z.boolean().default(false),
        })
        .prefault({}),
      trusted_origins: z.array(webOrigin).max(20).default([]),
      // Where links in mails lead, never taken from a request: one of the tenant's domains.
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
      // Every request reads the settings, so none of them grows without a bound.
      program_ids: z
        .record(z.string().max(20), singleLine)
        .refine((ids) => Object.keys(ids).length <= 100, 'Must be at most 100.')
        .default({}),
    })
    .prefault({}),
  // Who sends files to which bank, as the bank has agreed; a file needs all of them.
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
      // Whether an account is corrected as its bank says without anybody being asked.
      apply_change_notices: z.boolean().default(false),
    })
    .prefault({}),
  // Whether the same payment, ordered twice within a minute, is asked about before it is made.
  portal: z.strictObject({ asks_about_repeats: z.boolean().default(false) }).prefault({}),
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
  // How long the law asks for what is kept about a borrower whose loans are over, how long an export of
  // it can be fetched, and how long files are kept.
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

/** Whether an origin is of one of these domains; none at all is. */
export const isOwnOrigin = (site: string, domains: readonly string[]) =>
  site === '' || domains.includes(new URL(site).hostname);

/** The tenant's settings, defaults filled in; what was kept beyond today's bounds counts as unset. */
export const settingsOf = async (tx: Transaction): Promise<Settings> =>
  readSettings((await tenants.currentTenant(tx)).settings);

/** The same of what is stored, where a statement has read it along with other things. */
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

/** Takes away the one key, and none beside it; a list goes whole. */
function unset(tree: Tree, [key = '', ...below]: string[]) {
  const value = tree[key];
  const isTree = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (isTree && below.length > 0) unset(value as Tree, below);
  else delete tree[key];
}

import { z } from 'zod';
import type { Transaction } from '../../../sql/database/db.ts';
import * as tenants from '../../../sql/tenants.ts';
import { FILE_BYTES_MAX } from '../../files/files.ts';
import { approvals, auth, throttle } from './access-settings.ts';
import { cases } from './case-settings.ts';
import { communications } from './communication-settings.ts';
import { DocumentYears } from './document-years.ts';
import { adverse_action, credit_reporting, nacha, tax } from './reporting-settings.ts';
import {
  accounting,
  charge_off,
  compliance,
  delinquency,
  non_accrual,
  payoff,
  servicing_transfers,
  suspense,
} from './servicing-settings.ts';
import { color, logoUrl, mailbox, settingGroup, singleLine } from './setting-types.ts';

/**
 * A tenant's settings with their defaults. The keys are also the API's field names. Only differences from
 * the defaults are stored.
 */
export const Settings = z.strictObject({
  eod_cutoff_time: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time like 02:30.')
    .default('00:00')
    .describe(
      "The time on the next morning at which a business date ends, in the tenant's time zone. Close of business can run from then on.",
    ),
  branding: settingGroup("The lender's appearance in letters, messages and the portal.", {
    logo_url: logoUrl
      .default('')
      .describe(
        'Where to download the logo: PNG, JPEG or simple SVG, up to 500 kB and 4,000 pixels per side. It is downloaded when the setting changes; GET /tenant/logo shows the result. Empty: no logo.',
      ),
    primary_color: color
      .default('#1f3a5f')
      .describe('The main color of the portal, emails and letters, such as #1f3a5f.'),
    secondary_color: color
      .default('#5f7d9c')
      .describe('The second color of the portal, such as #5f7d9c.'),
    support_email: mailbox
      .default('')
      .describe(
        'The address for questions, in messages and the portal. Replies to emails go there. Empty: not shown.',
      ),
    support_phone: singleLine
      .default('')
      .describe(
        'The telephone number for questions, in messages, letters and the portal, and the sender of text messages. Empty: not shown.',
      ),
    address_line_1: singleLine
      .default('')
      .describe(
        "The first line of the lender's postal address, for the letterhead. Payoff letters, opening disclosures and adverse action notices need it.",
      ),
    address_line_2: singleLine
      .default('')
      .describe(
        "The second line of the lender's postal address, such as city, state and ZIP code.",
      ),
  }),
  compliance,
  approvals,
  accounting,
  delinquency,
  suspense,
  non_accrual,
  charge_off,
  payoff,
  servicing_transfers,
  cases,
  communications,
  webhooks: settingGroup('How events are sent to your webhook receivers.', {
    timeout_ms: z
      .int()
      .min(1000)
      .max(30_000)
      .default(10_000)
      .describe('Milliseconds that a receiver has to answer. Afterwards the attempt has failed.'),
    max_retries: z
      .int()
      .min(0)
      .max(3)
      .default(3)
      .describe('How often a failed delivery is repeated before it becomes a dead letter.'),
    retry_delays: z
      .array(z.int().min(1).max(86_400))
      .max(3)
      .default([10, 60, 300])
      .describe(
        'Seconds before each retry, in order. Fewer entries than max_retries mean fewer retries. A Retry-After of the receiver can make the wait longer.',
      ),
    disable_after: z
      .int()
      .min(1)
      .max(100)
      .default(5)
      .describe('How many dead letters in a row disable a subscription.'),
    rotation_overlap_hours: z
      .int()
      .min(0)
      .max(168)
      .default(24)
      .describe('Hours for which both secrets sign after a rotation that names no other period.'),
    keep_attempts_days: z
      .int()
      .min(1)
      .max(365)
      .default(30)
      .describe('Days for which delivery attempts and the answers of receivers are kept.'),
    allow_private_hosts: z
      .boolean()
      .default(false)
      .describe(
        'Whether receivers and identity providers may be on private networks, such as localhost. Only takes effect outside production; in production, the operator opens networks with PRIVATE_NETWORKS.',
      ),
  }),
  documents: settingGroup('Uploads and downloads.', {
    max_bytes: z
      .int()
      .min(1024)
      .max(FILE_BYTES_MAX)
      .default(26_214_400)
      .describe('The largest accepted file, in bytes. Default: 25 MiB.'),
    upload_ttl_s: z
      .int()
      .min(60)
      .max(86_400)
      .default(900)
      .describe('Seconds for which an upload link works.'),
    download_ttl_s: z
      .int()
      .min(60)
      .max(604_800)
      .default(300)
      .describe('Seconds for which a download link works.'),
  }),
  auth,
  throttle,
  credit_reporting,
  nacha,
  portal: settingGroup('The borrower portal.', {
    hardship_pause_days: z
      .int()
      .min(0)
      .max(90)
      .default(15)
      .describe(
        'Days for which a new hardship application pauses collection contacts. The portal names them. 0: no pause.',
      ),
    asks_about_repeats: z
      .boolean()
      .default(false)
      .describe(
        'Whether the portal asks for confirmation if a borrower orders the same payment again within 60 seconds.',
      ),
    is_home_page: z
      .boolean()
      .default(false)
      .describe(
        "Whether browsers that open the tenant's address without a path go to the borrower portal. Otherwise they see links to the portal, the staff pages and the API documentation.",
      ),
  }),
  adverse_action,
  tax,
  retention: settingGroup('How long data is kept.', {
    borrower_years: z
      .int()
      .min(1)
      .max(50)
      .default(7)
      .describe(
        "Years after the last event of a borrower's loans for which the borrower's data must be kept. A redaction is refused until then.",
      ),
    export_days: z
      .int()
      .min(1)
      .max(90)
      .default(14)
      .describe("Days for which an export of a borrower's data can be downloaded."),
    document_years: DocumentYears.prefault({}).describe(
      'Years for which each kind of document is kept after its loan has ended. Null or not set: forever.',
    ),
  }),
  idempotency: settingGroup('Repeated requests.', {
    ttl_hours: z
      .int()
      .min(1)
      .max(720)
      .default(24)
      .describe(
        'Hours for which the answer to an Idempotency-Key is kept. A repeated request gets it again.',
      ),
  }),
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

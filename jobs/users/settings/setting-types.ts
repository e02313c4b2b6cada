import { Big } from 'big.js';
import { z } from 'zod';
import { emailAddress, money } from '../../../sql/types.ts';
import { checkWebhookUrl } from '../../networks/host-url.ts';
import { parseNetworks } from '../../networks/networks.ts';

/** Value types of tenant settings that other fields do not need. */

/** Settings that belong together. Each of them has a default, so a tenant can leave out the group. */
export const settingGroup = <Shape extends z.core.$ZodLooseShape>(
  description: string,
  settings: Shape,
) =>
  z
    .strictObject(settings)
    .prefault({} as never)
    .describe(description);

/** Plain HTTP is allowed only for the local machine, where the traffic cannot be intercepted. */
const isOrigin = (value: string) => {
  const url = URL.parse(value);
  const isOfMachine = /^(localhost|[^.]+\.localhost|127\.0\.0\.1)$/.test(url?.hostname ?? '');
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isOfMachine);
  const isOneHost = /^[\w.[\]:-]+$/.test(url?.hostname ?? '');
  return isSafe && isOneHost && url?.origin === value;
};
export const webOrigin = z
  .string()
  .max(300)
  .refine(isOrigin, 'Must be an origin like https://admin.example.com.');
/** Any network is allowed here. The installation's networks are checked when a setting changes. */
const ANYWHERE = parseNetworks(['0.0.0.0/0', '::/0']);
/** The worker downloads the logo, so the rules for webhook URLs apply. */
export const logoUrl = z
  .string()
  .max(500)
  .superRefine((value, context) => {
    const checked = value === '' ? { href: '' } : checkWebhookUrl(value, ANYWHERE);
    if ('problem' in checked) context.addIssue(checked.problem);
  });
export const color = z.string().regex(/^#[0-9a-f]{6}$/i, 'Must be a color like #1f3a5f.');
export const singleLine = z.string().max(200);
/** Sender or reply address. Empty: the platform's own. */
export const mailbox = z.union([emailAddress, z.literal('')], {
  error: 'Must be an email address, or empty.',
});
/** An amount that may stay unpaid: small change, never an installment. */
export const tolerance = money.refine(
  (value) => new Big(value).lte(100),
  'Must be at most 100.00.',
);
export const routingNumber = z.union([
  z.string().regex(/^\d{9}$/, 'Must be nine digits.'),
  z.literal(''),
]);
/** Characters allowed in bank files. */
export const asciiLine = z
  .string()
  .regex(/^[\x20-\x7e]*$/, 'Must be plain letters, digits and signs.');
/** Requests per minute. Null: no limit. */
export const perMinute = z.int().min(1).max(100_000).nullable().default(null);
/**
 * Requests per minute. The minimum prevents a limit so low that staff can no longer sign in and raise it.
 */
export const perMinuteShared = z.int().min(30).max(100_000).nullable().default(null);
/** Attempts at a secret per minute: enough for a person, too few for guessing. */
export const attemptLimit = z.int().min(3).max(60);

/** The identification number of a furnisher (Metro 2, field 5). */
export const furnisherNumber = z
  .string()
  .max(20, 'Must have at most 20 letters and digits.')
  .regex(
    /^(?!0+$|9+$)[A-Za-z0-9]{5,20}$/,
    'Must have 5 to 20 letters and digits, not only zeros or nines.',
  );
export const furnisherCode = z.union([furnisherNumber, z.literal('')]);

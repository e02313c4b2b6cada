import { Big } from 'big.js';
import { z } from 'zod';
import { emailAddress, money } from '../../sql/types.ts';
import { checkWebhookUrl } from '../networks/host-url.ts';
import { parseNetworks } from '../networks/networks.ts';

/** What kinds of values a tenant's settings have, beyond those of any field. */

/** Over plain HTTP nobody but the machine itself is reached without being read on the way. */
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
/** Which networks an installation opens is judged where a setting is changed. */
const ANYWHERE = parseNetworks(['0.0.0.0/0', '::/0']);
/** Browsers fetch it from wherever they are, so the rules for receivers hold for it too. */
export const logoUrl = z
  .string()
  .max(500)
  .superRefine((value, context) => {
    const checked = value === '' ? { href: '' } : checkWebhookUrl(value, ANYWHERE);
    if ('problem' in checked) context.addIssue(checked.problem);
  });
export const singleLine = z.string().max(200);
/** Where mail comes from or is answered to; where it is empty, the platform's own. */
export const mailbox = z.union([emailAddress, z.literal('')], {
  error: 'Must be an email address, or empty.',
});
/** What may stay unpaid without being asked for: small change, and never an instalment. */
export const tolerance = money.refine(
  (value) => new Big(value).lte(100),
  'Must be at most 100.00.',
);
export const routingNumber = z.union([
  z.string().regex(/^\d{9}$/, 'Must be nine digits.'),
  z.literal(''),
]);
/** What a file for a bank can hold. */
export const asciiLine = z
  .string()
  .regex(/^[\x20-\x7e]*$/, 'Must be plain letters, digits and signs.');
/** Requests in a minute; without a limit where null. */
export const perMinute = z.int().min(1).max(100_000).nullable().default(null);
/** So few that nobody could sign in any more, or take the setting back, are no limit but a lock. */
export const perMinuteShared = z.int().min(30).max(100_000).nullable().default(null);
/** Tries at a secret in a minute: enough for a person, and never so many that guessing pays. */
export const attemptLimit = z.int().min(3).max(60);

/** Which administers equal credit opportunity for this creditor (12 CFR 1002, appendix A). */
export const agency = z
  .strictObject({ agency_name: singleLine.default(''), agency_address: singleLine.default('') })
  .prefault({});

/**
 * The code by which a reporter to credit bureaus names itself (Metro 2, field 5). It is the same in every file; a change
 * is agreed with the bureaus first.
 */
export const furnisherCode = z.union([
  z
    .string()
    .regex(
      /^(?!0+$|9+$)[A-Za-z0-9]{5,20}$/,
      'Must have 5 to 20 letters and digits, not only zeros or nines.',
    ),
  z.literal(''),
]);

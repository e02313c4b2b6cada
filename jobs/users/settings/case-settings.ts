import { z } from 'zod';
import { rate } from '../../../sql/types.ts';
import { CONDITIONS } from '../../cases/rules/conditions.ts';
import { CONTACTS, INDICATORS, STATEMENTS, type EffectName } from '../../cases/rules/effects.ts';
import { hintAt, quote } from '../../nearest-word.ts';
import { settingGroup } from './setting-types.ts';

/** Tenant settings for cases with legal effect. */

const isAllowed = (what: string) => z.boolean().optional().describe(`Whether ${what}.`);

const effects = {
  contact: z
    .enum(CONTACTS)
    .optional()
    .describe(
      'Which messages the person may get. `required_notices_only`: only mandatory letters.',
    ),
  collection_messages: isAllowed('collection letters and reminders are sent'),
  late_fees: isAllowed('late fees are charged'),
  autopay: isAllowed('autopay draws payments'),
  rate_cap: rate.nullish().describe('The highest annual rate, such as 0.06. Null: no cap.'),
  acceleration: isAllowed('the loan may be accelerated'),
  charge_off: isAllowed('close of business may charge off the loan'),
  sale: isAllowed('the loan may be sold'),
  credit_reporting: z
    .enum(INDICATORS)
    .nullish()
    .describe(
      'The consumer information indicator that is reported. Null: none. An identity theft block always keeps the loan from being reported.',
    ),
  statement: z
    .enum(STATEMENTS)
    .optional()
    .describe(
      'The form of statements. `no_demand`: without a request to pay. `bankruptcy`: with the notices and amounts of 12 CFR 1026.41(f), which the rule requires for mortgages.',
    ),
} satisfies Record<EffectName, z.ZodType>;

const MAX = 50;
const PROTECTION = /^protection:[a-z0-9_]{1,40}$/;

const overrides = z
  .record(z.string(), z.strictObject(effects).nullable())
  .superRefine((given, context) => {
    for (const name of Object.keys(given).slice(0, MAX)) {
      if (CONDITIONS.some((known) => known === name) || PROTECTION.test(name)) continue;
      const message = `There is no condition ${quote(name)}.${hintAt(name, CONDITIONS)}`;
      context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .refine((given) => Object.keys(given).length <= 2 * MAX, `Must have at most ${2 * MAX} entries.`);

export const cases = settingGroup('Cases with legal effect, such as bankruptcies.', {
  protections: z
    .array(
      z
        .string()
        .max(40)
        .regex(/^[a-z0-9_]+$/, 'Must have small letters, digits and underscores.'),
    )
    .max(MAX)
    .default([])
    .describe(
      'The names of your own protections, such as wildfire_relief, for cases of that type.',
    ),
  effects: overrides
    .default({})
    .describe(
      'What single conditions change, by name, as {"stay_13": {"late_fees": true}}. A protection has the prefix protection and a colon before its name, as in protection:wildfire_relief. Null, or not set: the table of effects, with no effect for protections.',
    ),
});

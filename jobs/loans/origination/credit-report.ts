import { z } from 'zod';
import { date, requiredFreeText, integer, requiredText } from '../../../sql/types.ts';

const line = requiredText.max(200);

/** The consumer report behind a decision, with the details that the notice needs (FCRA, section 615(a)). */
export const CreditReport = z.strictObject({
  bureau_name: line.describe('The name of the bureau.'),
  bureau_address: line.describe('The postal address of the bureau.'),
  bureau_phone: requiredText.max(40).describe('Toll-free for an agency that works nationwide.'),
  score: z
    .strictObject({
      score: integer.min(0).max(9999).describe('The number.'),
      date: date.describe('When the score was created.'),
      range_low: integer.min(0).max(9999).describe('The lowest possible score.'),
      range_high: integer.min(0).max(9999).describe('The highest possible score.'),
      key_factors: z
        .array(requiredFreeText)
        .min(1)
        .max(5)
        .describe(
          'The factors that lowered the score most: four, or five if the number of inquiries is one of them.',
        ),
    })
    .refine(
      ({ score, range_low, range_high }) => range_low <= score && score <= range_high,
      'The score must lie within its range.',
    )
    .nullish()
    .describe('The credit score. Required if the decision used a score.'),
});
export type CreditReport = z.output<typeof CreditReport>;

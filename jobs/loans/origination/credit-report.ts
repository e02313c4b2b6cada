import { z } from 'zod';
import { date, requiredFreeText, integer, requiredText } from '../../../sql/types.ts';

const line = requiredText.max(200);

/** The consumer report behind a decision, with the details that the notice needs (FCRA, section 615(a)). */
export const CreditReport = z.strictObject({
  bureau_name: line,
  bureau_address: line,
  bureau_phone: requiredText.max(40).describe('Toll-free for an agency that works nationwide.'),
  /** Required if the decision used a score. */
  score: z
    .strictObject({
      score: integer.min(0).max(9999),
      date,
      range_low: integer.min(0).max(9999),
      range_high: integer.min(0).max(9999),
      // Four, or five if the number of inquiries is one of them.
      key_factors: z.array(requiredFreeText).min(1).max(5),
    })
    .refine(
      ({ score, range_low, range_high }) => range_low <= score && score <= range_high,
      'The score must lie within its range.',
    )
    .nullish(),
});
export type CreditReport = z.output<typeof CreditReport>;

import { z } from 'zod';
import { requiredText } from '../../../sql/types.ts';
import { WarningSwitches } from '../format/findings.ts';

/** How a file is checked and boarded. Part of the import's identity. */
export const ImportOptions = z.object({
  product_code: requiredText
    .max(50)
    .optional()
    .describe(
      'The product of loans whose row names none. Default: the oldest product of the tenant.',
    ),
  accept_difference: z
    .boolean()
    .optional()
    .describe(
      'Whether a loan is boarded with the balances of its history although the file states others. Default: false, which names the loan.',
    ),
  warnings: WarningSwitches.optional().describe(
    'Codes of warnings that are an `error` for you, or `accepted`.',
  ),
});
export type ImportOptions = z.output<typeof ImportOptions>;

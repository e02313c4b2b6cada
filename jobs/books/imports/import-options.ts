import { z } from 'zod';
import { requiredText } from '../../../sql/types.ts';

/** How a file is checked and boarded. Part of the import's identity. */
export const ImportOptions = z.object({
  product_code: requiredText
    .max(50)
    .optional()
    .describe(
      'The product of loans whose row names none. Default: the oldest product of the tenant.',
    ),
});
export type ImportOptions = z.output<typeof ImportOptions>;

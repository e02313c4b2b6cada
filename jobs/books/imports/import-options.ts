import { z } from 'zod';
import { requiredText } from '../../../sql/types.ts';
import { WARNING_CODES, type WarningCode, type WarningSwitches } from '../format/findings.ts';

const isWarning = (code: string): code is WarningCode =>
  WARNING_CODES.some((known) => known === code);
const split = (codes: string) => codes.split(',').map((code) => code.trim());

const warningCodes = z
  .string()
  .max(1_000)
  .refine(
    (codes) => split(codes).every(isWarning),
    `Must be codes of warnings, separated by commas: ${WARNING_CODES.join(', ')}.`,
  );

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
  warnings_as_errors: warningCodes
    .optional()
    .describe('Codes of warnings that refuse the file, separated by commas. Default: none.'),
  accepted_warnings: warningCodes
    .optional()
    .describe('Codes of warnings that are not reported, separated by commas. Default: none.'),
});
export type ImportOptions = z.output<typeof ImportOptions>;

/** How the check treats warnings. */
export const switchesOf = ({
  warnings_as_errors,
  accepted_warnings,
}: ImportOptions): WarningSwitches => ({
  ...switchAll(warnings_as_errors, 'error'),
  ...switchAll(accepted_warnings, 'accepted'),
});

const switchAll = (codes: string | undefined, to: 'error' | 'accepted'): WarningSwitches =>
  Object.fromEntries(
    codes === undefined
      ? []
      : split(codes)
          .filter(isWarning)
          .map((code) => [code, to]),
  );

import { z } from 'zod';
import { LOANS_HERE } from '../../../sql/books/reconciliations.ts';
import { date, money } from '../../../sql/types.ts';
import { DIFFERENCE_KINDS } from '../conventions/conventions.ts';
import { OTHER_KINDS } from './compare-loans.ts';

export const RESULT_KINDS = [...DIFFERENCE_KINDS, ...OTHER_KINDS] as const;

const isKind = (text: string): boolean => (RESULT_KINDS as readonly string[]).includes(text);

/** How a file is compared. The fields of a form are texts, so the kinds are separated by commas. */
export const ReconciliationOptions = z.object({
  compares: z
    .enum(['loans', 'book'])
    .default('loans')
    .describe(
      '`loans` compares the figures of the loans here. `book` needs no loans here: it computes the figures from the loans and histories of the file, with the products here.',
    ),
  loans_here: z
    .enum(LOANS_HERE)
    .default('imported')
    .describe(
      'Which loans here the file must have. `imported`: those of the imports that brought the loans of the file; if no import brought them, all boarded loans. `all`: all with a debt. `none`: no loan. The others are only counted in `loans_only_here`.',
    ),
  through_date: date.optional().describe('Ignores figures after this day. Default: all count.'),
  tolerance: money.default('0.00').describe('Amounts may differ by this much. Default: 0.00.'),
  accepted_kinds: z
    .string()
    .max(1_000)
    .default('')
    .transform((text) => [...new Set(text.split(/[\s,]+/).filter((kind) => kind !== ''))])
    .refine(
      (kinds) => kinds.every(isKind),
      `Must be some of these, separated by commas: ${RESULT_KINDS.join(', ')}.`,
    )
    .describe('The kinds of differences that are accepted, separated by commas. Default: none.'),
});
export type ReconciliationOptions = z.output<typeof ReconciliationOptions>;

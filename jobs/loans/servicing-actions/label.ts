import { z } from 'zod';
import * as decisions from '../../../sql/loans/origination/decisions.ts';
import * as loans from '../../../sql/loans/loans.ts';
import { maskPersonalNumbers } from '../../../sql/personal-numbers.ts';
import { Invalid, NotFound } from '../../errors.ts';
import type { Work } from '../../work.ts';

const LABELS_MAX = 50;

export const loanLabel = z
  .string()
  .max(50, 'Must be at most 50 characters.')
  .transform((value) => value.toLowerCase())
  .refine(
    (value) => /^[a-z0-9][a-z0-9_\-: ]*$/.test(value),
    'Must be letters, digits, spaces and _ - : only.',
  )
  .refine(
    (value) => maskPersonalNumbers(value) === value,
    'Must not hold a social security or card number.',
  );
export const Labels = z.object({
  labels: z
    .array(loanLabel)
    .min(1)
    .max(LABELS_MAX)
    .describe(
      'One to 50 labels of up to 50 characters, stored in lower case. The label `identity-theft-block` suppresses credit reporting.',
    ),
});
type Labels = z.output<typeof Labels>;

/** Adds the labels that the loan does not have yet. */
export const addLabels = (work: Work, loanId: string, { labels }: Labels) =>
  updateLabels(work, loanId, (known) => [...new Set([...known, ...labels])]);

/** Removes the labels. Labels that the loan does not have are ignored. */
export const removeLabels = (work: Work, loanId: string, { labels }: Labels) =>
  updateLabels(work, loanId, (known) => known.filter((label) => !labels.includes(label)));

async function updateLabels(
  { tx }: Work,
  loanId: string,
  change: (known: readonly string[]) => readonly string[],
) {
  const loan = await loans.lockLoan(tx, loanId);
  if (loan === null) throw new NotFound();
  const labels = change(loan.labels);
  if (labels.length > LABELS_MAX) {
    throw new Invalid({ labels: `A loan has at most ${LABELS_MAX} labels.` });
  }
  await decisions.setLabels(tx, loanId, labels);
}

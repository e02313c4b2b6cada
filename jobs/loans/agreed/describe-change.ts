import type { AgreedChange } from '../engine/projection/agreed-steps.ts';

/** The sentence for each agreed change. The date is inserted for `DATE`. */
const SENTENCES = {
  freeze_end: 'Interest resumes on DATE, when the freeze ends.',
  rate_cap_start: 'A legal limit of the interest rate starts on DATE.',
  promotion_start: 'A promotion starts on DATE.',
  deferred_interest_due: 'The deferred interest becomes due on DATE, when the promotion ends.',
  forbearance_start: 'A forbearance starts on DATE.',
  forbearance_end: 'Interest resumes on DATE, when the forbearance ends.',
  deferment_start: 'A deferment starts on DATE.',
  deferment_end: 'The deferment ends on DATE: interest resumes or is added to the principal.',
  modification: 'Agreed new terms take effect on DATE.',
  scheduled_payment: 'A payment is scheduled for DATE.',
} as const;
export type ChangeKind = keyof typeof SENTENCES;
export const CHANGE_KINDS = Object.keys(SENTENCES) as ChangeKind[];

export const describeChange = (change: ChangeKind, date: string): AgreedChange => ({
  date,
  change,
  description: SENTENCES[change].replace('DATE', date),
});

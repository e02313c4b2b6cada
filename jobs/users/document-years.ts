import { z } from 'zod';

/**
 * The fewest years that a document is kept once its loan has ended, and the rule that asks for them. Rules that
 * count from an earlier day (a notice, the consummation) are met by counting from the end. Where a rule speaks of
 * 25 months or of a return's due date, whole years above it are meant.
 */
const FLOORS = {
  income_verification: [3, '12 CFR 1002.12(b)'],
  identity_verification: [5, '31 CFR 1020.220(a)(3)'],
  bank_statement: [3, '12 CFR 1002.12(b)'],
  title: [1, '12 CFR 1024.38(c)'],
  insurance: [1, '12 CFR 1024.38(c)'],
  appraisal: [3, '12 CFR 1002.12(b)'],
  closing_document: [5, '12 CFR 1026.25(c)(1)'],
  tila_disclosure: [5, '12 CFR 1026.25(c)(1)'],
  adverse_action_notice: [3, '12 CFR 1002.12(b)'],
  monthly_statement: [2, '12 CFR 1026.25(a)'],
  correspondence: [3, '12 CFR 1006.100'],
  // Forms 1099-C are among them.
  other: [5, 'the IRS for Form 1099-C'],
  loan_tape: [1, 'our own caution'],
} as const;
export type KindOfDocument = keyof typeof FLOORS;

/** No document is asked for longer than this. */
const YEARS_MAX = 50;

const yearsOf = ([fewest, rule]: (typeof FLOORS)[KindOfDocument]) => {
  const least = `Must be at least ${fewest}, as ${rule} asks, or null for ever.`;
  return z.int().min(fewest, least).max(YEARS_MAX).nullable().optional();
};

const KINDS = Object.keys(FLOORS) as KindOfDocument[];

/** How many years each kind is kept once its loan has ended; for ever where nothing is said. */
export const DocumentYears = z.strictObject(
  Object.fromEntries(KINDS.map((kind) => [kind, yearsOf(FLOORS[kind])])) as Record<
    KindOfDocument,
    ReturnType<typeof yearsOf>
  >,
);
export type DocumentYears = z.output<typeof DocumentYears>;

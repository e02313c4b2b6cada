import { z } from 'zod';

/**
 * Minimum years that a document is kept after its loan has ended, with the rule that requires it. Some
 * rules count from an earlier day (a notice, the consummation); counting from the end of the loan satisfies
 * them. Periods such as 25 months, or a tax return's due date, are rounded up to whole years.
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
  // Includes Forms 1099-C.
  other: [5, 'the IRS for Form 1099-C'],
  loan_tape: [1, 'our own caution'],
} as const;
export type KindOfDocument = keyof typeof FLOORS;

/** No rule requires a longer period. */
const YEARS_MAX = 50;

const yearsOf = ([fewest, rule]: (typeof FLOORS)[KindOfDocument]) => {
  const least = `Must be at least ${fewest} (${rule}), or null to keep documents forever.`;
  return z
    .int()
    .min(fewest, least)
    .max(YEARS_MAX)
    .nullable()
    .optional()
    .describe(`Years, at least ${fewest} (${rule}). Null: forever.`);
};

const KINDS = Object.keys(FLOORS) as KindOfDocument[];

/** How many years each kind of document is kept after its loan has ended. Default: forever. */
export const DocumentYears = z.strictObject(
  Object.fromEntries(KINDS.map((kind) => [kind, yearsOf(FLOORS[kind])])) as Record<
    KindOfDocument,
    ReturnType<typeof yearsOf>
  >,
);
export type DocumentYears = z.output<typeof DocumentYears>;

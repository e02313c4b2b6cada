import { z } from 'zod';
import { Invalid } from '../../jobs/errors.ts';
import { validationMessage } from '../../jobs/validation-messages.ts';
import { fieldErrors } from './errors.ts';

/** Of a body that is wrong everywhere, the first problems tell enough. */
const PROBLEMS_MAX = 100;

/**
 * The body or query as the schema reads it. As safeParse does it, but only the first problems are put into
 * words: each costs tens of microseconds, and a body may hold thousands of wrong values.
 */
export function parseInput(schema: z.ZodType, given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new Invalid({ body: 'Must be a JSON object.' });
  }
  const context = { async: false, reportInput: true, error: validationMessage };
  const result = schema._zod.run({ value: given, issues: [] }, context);
  if (result instanceof Promise) throw new Error('A body is checked without waiting for anything.');
  const issues = result.issues.slice(0, PROBLEMS_MAX);
  if (issues.length === 0) return result.value;
  const { finalizeIssue } = z.core.util;
  const worded = issues.map((issue) => finalizeIssue(issue, context, z.config()));
  throw new Invalid(fieldErrors({ issues: worded }));
}

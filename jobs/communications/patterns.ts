import { RE2JS } from 're2js';
import { expandedSize } from './pattern-size.ts';

/** Much is said in so many characters; what is compiled from them may be far larger, which costs time. */
export const PATTERN_CHARACTERS_MAX = 200;
const INSTRUCTIONS_MAX = 300;
/** What is larger than this is not even compiled. It is an estimate, so it leaves room above the exact bound. */
const SIZE_MAX = 2 * INSTRUCTIONS_MAX;
/** A rule that has to read further is no rule: with the bounds above it is 0.1 s at the very worst. */
const READ_CHARACTERS = 1_000;
const KEPT_MAX = 500;

/**
 * Tenants' regular expressions run on an engine without backtracking, whose time is the length of the text
 * times the size of the pattern; JavaScript's own can be made to hang. Large and small letters are one.
 */
const compiled = (pattern: string) => RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL);

const TOO_LARGE = 'The pattern is too large. Use smaller repetitions or character classes.';

/** A sentence where the pattern is none, or one that costs too much; else null. */
export function findPatternProblem(pattern: string): string | null {
  if (pattern.length > PATTERN_CHARACTERS_MAX || expandedSize(pattern) > SIZE_MAX) return TOO_LARGE;
  try {
    return compiled(pattern).programSize() > INSTRUCTIONS_MAX ? TOO_LARGE : null;
  } catch (error) {
    const [, reason = 'it cannot be read'] =
      /error parsing regexp: (.{1,200})/.exec(error instanceof Error ? error.message : '') ?? [];
    return `Must be a valid RE2 regular expression: ${reason}.`;
  }
}

const kept = new Map<string, RE2JS | null>();

/** Whether the pattern is found in the beginning of a text; one that cannot be read finds nothing. */
export function matchesPattern(pattern: string, text: string): boolean {
  let regex = kept.get(pattern);
  if (regex === undefined) {
    if (kept.size >= KEPT_MAX) kept.clear();
    regex = findPatternProblem(pattern) === null ? compiled(pattern) : null;
    kept.set(pattern, regex);
  }
  return regex?.test(text.slice(0, READ_CHARACTERS)) ?? false;
}

import { RE2JS } from 're2js';
import { expandedSize } from './pattern-size.ts';

/** Limits the pattern's text. The compiled program can be much larger, so it has a separate limit. */
export const PATTERN_CHARACTERS_MAX = 200;
const INSTRUCTIONS_MAX = 300;
/** Larger patterns are not compiled. The size is an estimate, so this bound is above the exact one. */
const SIZE_MAX = 2 * INSTRUCTIONS_MAX;
/** Only the beginning of a message is matched. With the limits above, the worst case takes 0.1 s. */
const MATCHED_CHARACTERS_MAX = 1_000;
const CACHED_PATTERNS_MAX = 500;

/**
 * Tenants' patterns run on RE2, which does not backtrack: the time is at most text length times program
 * size. JavaScript's engine could be made to hang. Case-insensitive.
 */
const compilePattern = (pattern: string) =>
  RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL);

const TOO_LARGE = 'The pattern is too large. Use smaller repetitions or character classes.';

/** The problem with a pattern that is invalid or too expensive, otherwise null. */
export function findPatternProblem(pattern: string): string | null {
  if (pattern.length > PATTERN_CHARACTERS_MAX || expandedSize(pattern) > SIZE_MAX) return TOO_LARGE;
  try {
    return compilePattern(pattern).programSize() > INSTRUCTIONS_MAX ? TOO_LARGE : null;
  } catch (error) {
    const [, reason = 'it cannot be read'] =
      /error parsing regexp: (.{1,200})/.exec(error instanceof Error ? error.message : '') ?? [];
    return `Must be a valid RE2 regular expression: ${reason}.`;
  }
}

const patternCache = new Map<string, RE2JS | null>();

/** Whether the pattern matches the beginning of a text. An invalid pattern never matches. */
export function matchesPattern(pattern: string, text: string): boolean {
  let regex = patternCache.get(pattern);
  if (regex === undefined) {
    if (patternCache.size >= CACHED_PATTERNS_MAX) patternCache.clear();
    regex = findPatternProblem(pattern) === null ? compilePattern(pattern) : null;
    patternCache.set(pattern, regex);
  }
  return regex?.test(text.slice(0, MATCHED_CHARACTERS_MAX)) ?? false;
}

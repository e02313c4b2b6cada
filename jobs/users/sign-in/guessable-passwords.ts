import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

/** Maximum characters judged. The cost grows with the square of the length. */
const CHECKED_CHARACTERS_MAX = 64;
/** Passwords that need fewer guesses are rejected. Eight random characters need about as many. */
const GUESSES_MIN = 1e8;
const COMMON_MAX = 10_000;
/** Characters that people add before or after a word, such as 123 or a year and a sign. */
const DECORATION_MAX = 6;
/** A repeated unit of at most this length is as easy to guess as the unit itself. */
const UNIT_MAX = 4;

const estimator = new ZxcvbnFactory({
  dictionary,
  graphs: adjacencyGraphs,
  maxLength: CHECKED_CHARACTERS_MAX,
  l33tMaxSubstitutions: 20,
});

/**
 * Whether attackers would find the password early: one of the 10,000 most common in a usual disguise, or a
 * combination of common words, names of the user or lender, keyboard rows, dates and repeats. Takes at most
 * some milliseconds for any input.
 */
export function isGuessable(password: string, names: readonly string[] = []): boolean {
  const normalized = password.normalize('NFKC').slice(0, CHECKED_CHARACTERS_MAX);
  if (isCommon(normalized)) return true;
  const words = names.flatMap((name) => [name, ...name.split(/[^\p{L}\p{N}]+/u)]);
  const inputs = words
    .map((word) => word.slice(0, CHECKED_CHARACTERS_MAX))
    .filter((word) => word.length > 1);
  return estimator.check(normalized, [...new Set(inputs)]).guesses < GUESSES_MIN;
}

/** Ignores case, substituted letters, separators, decoration, reversal and repetition. */
const isCommon = (password: string) =>
  stripDecorations(password.toLowerCase())
    .flatMap((face) => [
      normalizeSpelling(face),
      normalizeSpelling(removeSigns(face)),
      removeSigns(normalizeSpelling(face)),
    ])
    .some((face) => {
      const unit = face.slice(0, repeatedUnitLength(face));
      return [face, unit].some(isListed) || (unit !== face && unit.length <= UNIT_MAX);
    });

/**
 * The length of the shortest unit that, repeated, makes up the text: where the text occurs again in its own
 * doubling.
 */
const repeatedUnitLength = (text: string) => `${text}${text}`.indexOf(text, 1);

/** The number of UTF-16 units before the first letter. */
const countLeadingSigns = (text: string) => /^\P{L}*/u.exec(text)?.[0].length ?? 0;

const removeSigns = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '');

const isListed = (face: string) =>
  common.has(face) || common.has(Array.from(face).toReversed().join(''));

/** The text, and each variant without up to DECORATION_MAX digits and signs at its ends. */
function stripDecorations(text: string): string[] {
  const before = Math.min(DECORATION_MAX, countLeadingSigns(text));
  const behind = Math.min(
    DECORATION_MAX,
    countLeadingSigns(Array.from(text).toReversed().join('')),
  );
  const faces = [];
  for (let from = 0; from <= before; from += 1) {
    for (let less = 0; less <= Math.min(behind, DECORATION_MAX - from); less += 1)
      faces.push(text.slice(from, text.length - less));
  }
  return [...new Set(faces)];
}

/** Letters and the signs that people substitute for them. Each group counts as one letter. */
const ALIKE = new Map(
  ['a@4', 'b8', 'c(', 'e3€', 'g69', 'i1!|l', 'o0', 's$5', 't7+', 'z2'].flatMap((signs) =>
    Array.from(signs, (sign) => [sign, signs.charAt(0)] as const),
  ),
);
const normalizeSpelling = (text: string) =>
  Array.from(text, (sign) => ALIKE.get(sign) ?? sign).join('');

const common = new Set(
  dictionary['passwords-common'].slice(0, COMMON_MAX).map((word) => normalizeSpelling(word)),
);

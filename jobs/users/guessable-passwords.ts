import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

/** Beyond it a password is not looked at: what judging costs grows with the square of the length. */
const JUDGED_MAX = 64;
/** A password that is found within so many tries is refused; eight random characters take as many. */
const GUESSES_MIN = 1e8;
const COMMON_MAX = 10_000;
/** What people put before or behind a word so that it looks like a password: 123, a year and a sign. */
const DECORATION_MAX = 6;
/** So few characters over and over are as quickly tried as once. */
const UNIT_MAX = 4;

const estimator = new ZxcvbnFactory({
  dictionary,
  graphs: adjacencyGraphs,
  maxLength: JUDGED_MAX,
  l33tMaxSubstitutions: 20,
});

/**
 * Whether attackers find the password early: one of the 10,000 most common in a usual disguise, or one
 * made of common words, names of the user or his lender, keys in a row, dates, or repeats. Takes
 * some milliseconds at most, whatever it is given.
 */
export function isGuessable(password: string, names: readonly string[] = []): boolean {
  const judged = password.normalize('NFKC').slice(0, JUDGED_MAX);
  if (isCommon(judged)) return true;
  const words = names.flatMap((name) => [name, ...name.split(/[^\p{L}\p{N}]+/u)]);
  const inputs = words.map((word) => word.slice(0, JUDGED_MAX)).filter((word) => word.length > 1);
  return estimator.check(judged, [...new Set(inputs)]).guesses < GUESSES_MIN;
}

/** Capitals, signs for letters, separators, decoration, backwards, and the same again hide nothing. */
const isCommon = (password: string) =>
  undecorated(password.toLowerCase())
    .flatMap((face) => [spelled(face), spelled(closed(face)), closed(spelled(face))])
    .some((face) => {
      const unit = face.slice(0, lengthOfUnit(face));
      return [face, unit].some(isListed) || (unit !== face && unit.length <= UNIT_MAX);
    });

/** A text that is one piece again and again is found in itself where the second piece begins. */
const lengthOfUnit = (text: string) => `${text}${text}`.indexOf(text, 1);

/** How much of the text comes before its first letter. */
const signsBefore = (text: string) => /^\P{L}*/u.exec(text)?.[0].length ?? 0;

const closed = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '');

const isListed = (face: string) =>
  common.has(face) || common.has(Array.from(face).toReversed().join(''));

/** The text as it is, and without what may be decoration: a few digits and signs at its ends. */
function undecorated(text: string): string[] {
  const before = Math.min(DECORATION_MAX, signsBefore(text));
  const behind = Math.min(DECORATION_MAX, signsBefore(Array.from(text).toReversed().join('')));
  const faces = [];
  for (let from = 0; from <= before; from += 1) {
    for (let less = 0; less <= Math.min(behind, DECORATION_MAX - from); less += 1)
      faces.push(text.slice(from, text.length - less));
  }
  return [...new Set(faces)];
}

/** Signs that stand for a letter, and letters that one sign stands for, are all taken for one. */
const ALIKE = new Map(
  ['a@4', 'b8', 'c(', 'e3€', 'g69', 'i1!|l', 'o0', 's$5', 't7+', 'z2'].flatMap((signs) =>
    Array.from(signs, (sign) => [sign, signs.charAt(0)] as const),
  ),
);
const spelled = (text: string) => Array.from(text, (sign) => ALIKE.get(sign) ?? sign).join('');

const common = new Set(
  dictionary['passwords-common'].slice(0, COMMON_MAX).map((word) => spelled(word)),
);

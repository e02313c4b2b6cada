import { editDistance } from '../../nearest-word.ts';
import type { NameForms } from './names.ts';

/** Possible matches from this score on are reviewed by a person. */
export const REVIEW_SCORE = 0.85;

/** Each word that only one of the names has. */
const EXTRA_WORD = 0.06;
const SAME_CONSONANTS = 0.8;
const SAME_INITIAL = 0.9;
const BIRTH_DATE_SAME = 0.05;
const BIRTH_DATE_DIFFERENT = 0.1;

export type BirthDates = readonly { from: string; to: string }[];
export type BirthDateMatch = 'same' | 'different' | 'unknown';

/**
 * How well a name on file matches a listed name and its birth dates, from 0 to 1. The order of the words does
 * not matter, because records mix up given and family names.
 */
export function scoreMatch(
  subject: { forms: NameForms; date_of_birth: string | null },
  listed: { forms: NameForms; birth_dates: BirthDates },
): { score: number; date_of_birth_match: BirthDateMatch } {
  const best = scoreForms(subject.forms, listed.forms);
  const date_of_birth_match = compareBirthDates(subject.date_of_birth, listed.birth_dates);
  const adjusted =
    best +
    (date_of_birth_match === 'same' ? BIRTH_DATE_SAME : 0) -
    (date_of_birth_match === 'different' ? BIRTH_DATE_DIFFERENT : 0);
  const score = Math.round(Math.min(1, Math.max(0, adjusted)) * 1000) / 1000;
  return { score, date_of_birth_match };
}

/** Middle names count if both names have them. Otherwise they may have been omitted. */
function scoreForms(one: NameForms, other: NameForms): number {
  const haveMiddleNames = one.length > 1 && other.length > 1;
  const [ours, theirs] = haveMiddleNames ? [one.slice(0, 1), other.slice(0, 1)] : [one, other];
  const scores = ours.flatMap((form) => theirs.map((listed) => scoreNames(form, listed)));
  return Math.max(0, ...scores);
}

function compareBirthDates(day: string | null, listed: BirthDates): BirthDateMatch {
  if (day === null || listed.length === 0) return 'unknown';
  return listed.some(({ from, to }) => from <= day && day <= to) ? 'same' : 'different';
}

/** Compares the words pairwise, and the names without spaces ("Abdul Rahman", "Abdulrahman"). */
function scoreNames(one: string, other: string): number {
  const [short = [], long = []] = [one.split(' '), other.split(' ')].toSorted(
    (left, right) => left.length - right.length,
  );
  // One word is part of too many names.
  if (short.length === 1 && long.length > 1) return likeness(short.join(''), long.join(''));
  return Math.max(scoreWords(short, long), likeness(short.join(''), long.join('')));
}

/** Pairs each word of the shorter name, the longest first, with the most similar word that is left. */
function scoreWords(short: readonly string[], long: readonly string[]): number {
  const left = [...long];
  let sum = 0;
  let weights = 0;
  for (const word of short.toSorted((one, other) => other.length - one.length)) {
    const scores = left.map((candidate) => scoreWord(word, candidate));
    const best = scores.indexOf(Math.max(...scores));
    const [paired = ''] = left.splice(best, 1);
    const weight = isInitial(word) || isInitial(paired) ? 1 : Math.max(word.length, paired.length);
    sum += (scores[best] ?? 0) * weight;
    weights += weight;
  }
  return sum / weights - left.length * EXTRA_WORD;
}

function scoreWord(one: string, other: string): number {
  if (isInitial(one) || isInitial(other)) return one[0] === other[0] ? SAME_INITIAL : 0;
  const plain = likeness(one, other);
  const consonants = consonantsOf(one);
  const isSpelledDifferently = consonants.length >= 3 && consonants === consonantsOf(other);
  return isSpelledDifferently ? Math.max(plain, SAME_CONSONANTS) : plain;
}

const isInitial = (word: string) => word.length === 1;

/** Transliterations differ in vowels and doubled letters: Mohamed, Muhammad. */
const consonantsOf = (word: string) =>
  (word.slice(0, 1) + word.slice(1).replaceAll(/[aeiou]/g, '')).replaceAll(/(.)\1+/g, '$1');

const likeness = (one: string, other: string): number =>
  1 - editDistance(one, other) / Math.max(one.length, other.length, 1);

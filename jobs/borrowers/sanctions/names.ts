import { toAscii } from '../../ascii.ts';

export type SubjectType = 'person' | 'organization';

/**
 * A name in the forms that are compared: lower-case words in ASCII, separated by spaces. The full name comes
 * first, followed by the name without middle names if it has any.
 */
export type NameForms = readonly string[];

/** Words that transliterations of the same name use or omit. */
const PARTICLES = new Set(['al', 'el', 'bin', 'ibn', 'bint', 'ben', 'ould']);
const LEGAL_FORMS = new Set(
  (
    'inc incorporated corp corporation co company ltd limited llc llp lp plc gmbh ag sa srl spa bv nv ' +
    'ooo oao pjsc jsc the and of'
  ).split(' '),
);

/** "O'Neil, María-José" becomes "oneil maria jose". */
function wordsOf(name: string): string[] {
  const plain = toAscii(name.normalize('NFKC')).toLowerCase();
  return plain
    .replaceAll(/['`’]/g, '')
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}

/** Leaves out words that do not tell names apart, unless fewer than `least` words would remain. */
function distinctive(words: readonly string[], omitted: ReadonlySet<string>, least: number) {
  const kept = words.filter((word) => !omitted.has(word));
  return kept.length >= least ? kept : [...words];
}

const joined = (...parts: readonly string[][]) => parts.flat().join(' ');

/** The forms of a person's name. A name without a letter or digit has none. */
export function personForms(given: string, family: string): NameForms {
  const first = wordsOf(given);
  const last = wordsOf(family);
  const all = joined(distinctive([...first, ...last], PARTICLES, 2));
  const short = joined(distinctive([...first.slice(0, 1), ...last], PARTICLES, 2));
  return [...new Set([all, short])].filter(Boolean);
}

export function organizationForms(name: string): NameForms {
  return [joined(distinctive(wordsOf(name), LEGAL_FORMS, 1))].filter(Boolean);
}

/** The forms of a name of the list, which writes persons as "FAMILY, Given Middle". */
export function listedForms(type: SubjectType, name: string): NameForms {
  if (type === 'organization') return organizationForms(name);
  const comma = name.indexOf(',');
  return comma === -1
    ? personForms('', name)
    : personForms(name.slice(comma + 1), name.slice(0, comma));
}

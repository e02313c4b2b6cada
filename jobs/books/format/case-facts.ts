import { Invalid } from '../../errors.ts';

type Ids = { loans: ReadonlyMap<string, string>; people: ReadonlyMap<string, string> };

const ABOUT_LOANS = /(^|_)loan_ids?$/;
const ABOUT_PEOPLE = /(^|_)borrower_ids?$/;

/** A book names loans by their numbers and people by their external ids. Replaces the names in facts by our ids. */
export function translateFacts(facts: object, { loans, people }: Ids): Record<string, unknown> {
  return mapNames(facts, (kind, name) => {
    const id = (kind === 'loan' ? loans : people).get(name);
    if (id !== undefined) return id;
    throw new Invalid({ facts: `There is no ${kind} ${name} in the book.` });
  });
}

/** The loans and people that facts name. */
export function namesIn(facts: object): { loans: string[]; borrowers: string[] } {
  const found = { loans: [] as string[], borrowers: [] as string[] };
  mapNames(facts, (kind, name) => {
    found[kind === 'loan' ? 'loans' : 'borrowers'].push(name);
    return name;
  });
  return found;
}

type Rename = (kind: 'loan' | 'borrower', name: string) => string;

function mapNames(facts: object, rename: Rename): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(facts).map(([key, value]: [string, unknown]) => {
      if (ABOUT_LOANS.test(key)) return [key, mapValue(value, (name) => rename('loan', name))];
      if (ABOUT_PEOPLE.test(key)) return [key, mapValue(value, (name) => rename('borrower', name))];
      return [key, mapParts(value, rename)];
    }),
  );
}

function mapParts(value: unknown, rename: Rename): unknown {
  if (Array.isArray(value)) return value.map((part) => mapParts(part, rename));
  return typeof value === 'object' && value !== null ? mapNames(value, rename) : value;
}

function mapValue(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((part) => mapValue(part, rename));
  return typeof value === 'string' ? rename(value) : value;
}

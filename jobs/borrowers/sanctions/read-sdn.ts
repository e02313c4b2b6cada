import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { dictionary } from '../../../sql/dictionary.ts';
import { listedForms, type SubjectType } from './names.ts';
import { readBirthDates } from './birth-dates.ts';
import type { BirthDates } from './score.ts';

/** The three files of the list as text: entries, other names and addresses. */
export type SdnFiles = { sdn: string; alt: string; add: string };

export type ListedEntry = {
  entry_number: number;
  subject_type: SubjectType;
  name: string;
  programs: string | null;
  title: string | null;
  remarks: string | null;
  birth_dates: BirthDates;
  addresses: string[];
};
export type ListedName = {
  entry_number: number;
  subject_type: SubjectType;
  name: string;
  words: string;
};
export type SdnList = { sha256: string; entries: ListedEntry[]; names: ListedName[] };

/** A file is not in the published format, so nothing of the list is used. */
export class SdnFileError extends Error {}

/**
 * Reads the list of Specially Designated Nationals in the legacy format of the Treasury (sdn.csv, alt.csv and
 * add.csv): no header, "-0-" for an empty field, a control character at the end. Leaves out vessels and
 * aircraft. Not supported: sdn_comments.csv. Throws SdnFileError for another format.
 */
export function readSdnList(files: SdnFiles): SdnList {
  const addresses = Map.groupBy(readRows('add.csv', files.add, 5), ([number]) => number);
  const entries = readRows('sdn.csv', files.sdn, 12).flatMap((row): ListedEntry[] => {
    const [number, name, type, programs, title] = row;
    const remarks = row[11] ?? null;
    const subject_type = SUBJECT_TYPES[type ?? 'entity'];
    if (name === null || name === undefined || subject_type === undefined) return [];
    return [
      {
        entry_number: Number(number),
        subject_type,
        name,
        programs: programs ?? null,
        title: title ?? null,
        remarks,
        birth_dates: readBirthDates(remarks),
        addresses: (addresses.get(number) ?? []).map(([, , ...parts]) =>
          parts.filter(Boolean).join(', '),
        ),
      },
    ];
  });
  if (entries.length === 0) throw new SdnFileError('sdn.csv has no entries.');
  const aliases = Map.groupBy(readRows('alt.csv', files.alt, 4), ([number]) => Number(number));
  const names = entries.flatMap((entry) => {
    const others = aliases.get(entry.entry_number) ?? [];
    const all = new Set([entry.name, ...others.flatMap(([, , , name]) => name ?? [])]);
    return [...all].flatMap((name) => namesOf(entry, name));
  });
  const sha256 = createHash('sha256')
    .update(JSON.stringify([files.sdn, files.alt, files.add]))
    .digest('hex');
  return { sha256, entries, names };
}

const SUBJECT_TYPES = dictionary<SubjectType>({ individual: 'person', entity: 'organization' });

const namesOf = ({ entry_number, subject_type }: ListedEntry, name: string): ListedName[] =>
  listedForms(subject_type, name).map((words) => ({ entry_number, subject_type, name, words }));

/** The rows of a file. The first field is the number of an entry. */
function readRows(file: string, text: string, columns: number): (string | null)[][] {
  const rows: string[][] = parse(text.replaceAll('\u001A', ''), {
    trim: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
  });
  return rows.map((row, at) => {
    if (!/^\d{1,9}$/.test(row[0] ?? ''))
      throw new SdnFileError(
        `${file}, row ${at + 1}: the first field is not the number of an entry.`,
      );
    if (row.length < columns)
      throw new SdnFileError(`${file}, row ${at + 1}: has ${row.length} of ${columns} fields.`);
    return row.map((field) => (field === '-0-' || field === '' ? null : field));
  });
}

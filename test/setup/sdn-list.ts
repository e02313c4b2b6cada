import { importSanctionsList } from '../../jobs/borrowers/sanctions/import-list.ts';
import { connectAsOwner } from '../../sql/moving/owner.ts';

/** Files in the format of the Treasury, about people and firms that do not exist. */
type Listed = {
  name: string;
  type?: 'individual' | 'vessel' | '-0-';
  remarks?: string;
  aliases?: readonly string[];
};

const quoted = (text: string) => (text === '-0-' ? '-0- ' : `"${text}"`);

/** The number of an entry is its place in the list, from 1001. */
export function sdnFiles(listed: readonly Listed[]) {
  const numbered = listed.map((one, at) => ({ ...one, number: 1001 + at }));
  const lines = (rows: readonly string[]) => `${rows.join('\r\n')}\r\n\u001A`;
  return {
    sdn: lines(
      numbered.map(({ number, name, type = 'individual', remarks = '-0-' }) =>
        [
          [number, quoted(name), quoted(type), '"TESTLAND"', '-0- ', '-0- ', '-0- ', '-0- '],
          ['-0- ', '-0- ', '-0- ', quoted(remarks)],
        ]
          .flat()
          .join(','),
      ),
    ),
    alt: lines(
      numbered.flatMap(({ number, aliases = [] }) =>
        aliases.map((alias, at) =>
          [number, number * 10 + at, '"aka"', quoted(alias), '-0- '].join(','),
        ),
      ),
    ),
    add: lines(
      numbered.map(({ number }) =>
        [number, number * 10, '"1 Example Street"', '"Sampletown"', '"Testland"', '-0- '].join(','),
      ),
    ),
  };
}

/** Imports a list into the database of a stage, as an operator would. */
export async function importList(
  { url }: { url: string },
  listed: readonly Listed[],
  published_on: string,
) {
  const owner = await connectAsOwner(url);
  try {
    return await owner.steps('write', (tx) =>
      importSanctionsList(tx, sdnFiles(listed), { published_on }),
    );
  } finally {
    await owner.end();
  }
}

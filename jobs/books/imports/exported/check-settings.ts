import type { Work } from '../../../work.ts';
import { listFigureSettings } from '../../exports/figure-settings.ts';
import type { BookRow } from '../../format/book-files.ts';
import type { CheckedRow } from '../../format/checks/check-book.ts';
import type { Finding } from '../../format/findings.ts';

const SHOWN_MAX = 200;
const shown = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, SHOWN_MAX);

/**
 * Reports settings of the exporting tenant that are others here. An import never changes settings, because they also
 * apply to the loans that are here already.
 */
export async function checkSettings({ tx }: Work, rows: readonly CheckedRow[]): Promise<Finding[]> {
  const given = rows.filter(({ file }) => file === 'settings');
  if (given.length === 0) return [];
  const here = new Map((await listFigureSettings(tx)).map(({ name, value }) => [name, value]));
  return given.flatMap(({ source, line, labelOf, values }): Finding[] => {
    const { name, value } = values as BookRow<'settings'>;
    if (!here.has(name) || JSON.stringify(here.get(name)) === JSON.stringify(value)) return [];
    return [
      {
        file: source,
        line,
        column: labelOf('name'),
        code: 'setting_differs',
        severity: 'warning',
        reason: `${name} is ${shown(here.get(name))} here and ${shown(value)} in the book. Change it with PUT /tenant/settings first if the loans shall be serviced as before.`,
      },
    ];
  });
}

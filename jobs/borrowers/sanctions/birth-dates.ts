import { addDays, dateInMonth, isDate, monthEnd } from '../../dates.ts';
import type { BirthDates } from './score.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** "circa" is read as one year earlier or later. */
const CIRCA_DAYS = 366;

/**
 * The birth dates in the remarks of an entry, such as "DOB 07 Oct 1954; alt. DOB circa 1953; nationality …".
 * Forms: a day, a month, a year, "circa", and "1955 to 1957". Other texts are left out.
 */
export function readBirthDates(remarks: string | null): BirthDates {
  const parts = (remarks ?? '').split(';').map((part) => part.trim());
  return parts.flatMap((part) => {
    const written = /^(?:\()?(?:alt\. )?DOB (.+?)\)?\.?$/i.exec(part)?.[1];
    const range = written === undefined ? null : readRange(written);
    return range === null ? [] : [range];
  });
}

type Range = { from: string; to: string };

function readRange(written: string): Range | null {
  const exact = written.replace(/^circa /i, '');
  const [first, last, ...rest] = exact.split(/ to |-/).map((part) => readPeriod(part.trim()));
  if (!first || last === null || rest.length > 0) return null;
  const range = { from: first.from, to: (last ?? first).to };
  if (exact === written) return range;
  return { from: addDays(range.from, -CIRCA_DAYS), to: addDays(range.to, CIRCA_DAYS) };
}

/** "07 Oct 1954", "Oct 1954" or "1954". */
function readPeriod(written: string): Range | null {
  const found = /^(?:circa )?(?:(?:(\d{1,2}) )?([A-Z]{3})[a-z]* )?(\d{4})$/i.exec(written);
  if (!found) return null;
  const [, day, name, yearText = ''] = found;
  const year = Number(yearText);
  if (name === undefined) return { from: `${yearText}-01-01`, to: `${yearText}-12-31` };
  const month = MONTHS.indexOf(name.toLowerCase()) + 1;
  if (month === 0 || year < 1800) return null;
  if (day === undefined) {
    const from = dateInMonth(year, month, 1);
    return { from, to: monthEnd(from) };
  }
  const on = `${yearText}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDate(on) ? { from: on, to: on } : null;
}

import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify/sync';
import type { BookFinding } from '../../jobs/books/imports/finding.ts';
import { makeParentFolder } from './output-file.ts';

/** Lines that are printed. */
const LISTED_MAX = 200;
/** So many warnings with one code are listed each by itself. */
const SINGLE_MAX = 3;
const NAMED_LINES = 5;

export type ListedFindings = {
  lines: string[];
  /** Some findings are grouped or left out. */
  isShortened: boolean;
};

/**
 * Findings as lines for a person, in their order. Warnings with one code are one line if there are more than three. `count`:
 * all findings, of which some may not be given.
 */
export function findingLines(findings: readonly BookFinding[], count: number): ListedFindings {
  const warnings = findings.filter(({ severity }) => severity === 'warning');
  const byCode = Map.groupBy(warnings, ({ code }) => code);
  let covered = 0;
  const lines: string[] = [];
  for (const finding of findings) {
    if (lines.length === LISTED_MAX) break;
    const alike = finding.severity === 'warning' ? (byCode.get(finding.code) ?? []) : [];
    const isGrouped = alike.length > SINGLE_MAX;
    if (isGrouped && alike[0] !== finding) continue;
    covered += isGrouped ? alike.length : 1;
    lines.push(isGrouped ? groupLine(finding, alike) : `  ${singleLine(finding)}`);
  }
  const others = count - covered;
  if (others > 0) lines.push(`  and ${others} more`);
  return { lines, isShortened: count > lines.length };
}

function singleLine({ file, line, column, severity, code, reason }: BookFinding): string {
  const place = `${file} line ${line}${column === null ? '' : `, ${column}`}`;
  return severity === 'warning' ? `warning ${code}: ${place}: ${reason}` : `${place}: ${reason}`;
}

function groupLine(first: BookFinding, alike: readonly BookFinding[]): string {
  const others = alike
    .slice(1, 1 + NAMED_LINES)
    .map(({ file, line }) => (file === first.file ? `line ${line}` : `${file} line ${line}`));
  const rest = alike.length - 1 - others.length;
  const more = rest > 0 ? ` and ${rest} more` : '';
  return `  ${singleLine(first)}\n    ${alike.length} such warnings, also: ${others.join(', ')}${more}.`;
}

const COLUMNS = ['file', 'line', 'column', 'severity', 'code', 'reason'] as const;

/** Writes each finding as a line of a CSV file. A cell is never read as a formula. */
export async function writeFindings(file: string, findings: readonly BookFinding[]) {
  makeParentFolder(file);
  const options = { columns: [...COLUMNS], header: true, escape_formulas: true };
  await pipeline([stringify([...findings], options)], createWriteStream(file));
}

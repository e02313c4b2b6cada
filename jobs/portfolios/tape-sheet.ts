import {
  COLUMN_DEFINITIONS,
  type ColumnKind,
  type TapeColumn,
} from '../../sql/portfolios/tape-columns.ts';
import type { ZipEntry } from '../files/zip.ts';
import { dayNumber } from '../dates.ts';

export type TapeRow = Record<string, string | number | boolean | null>;
type Rows = AsyncIterable<readonly TapeRow[]> | Iterable<readonly TapeRow[]>;
type Layout = {
  columns: readonly TapeColumn[];
  include_header: boolean;
  /** Called for each text that exceeds the maximum length of a cell. */
  onCut?: () => void;
};

/** A sheet has 1,048,576 rows, including the header. */
export const SHEET_ROWS_MAX = 1_048_575;

/** The style of each kind of cell, as an index into the formats of xl/styles.xml. */
const STYLES: Record<ColumnKind, number> = {
  text: 0,
  code: 0,
  count: 0,
  flag: 0,
  money: 1,
  rate: 2,
  day: 3,
};

/**
 * Streams the files of a workbook with one sheet (ECMA-376, Office Open XML). Amounts are numbers with two
 * decimals, and days are dates. Text is written as an inline string, which no spreadsheet reads as a
 * formula.
 */
export async function* streamWorkbook(rows: Rows, layout: Layout): AsyncGenerator<ZipEntry> {
  for (const [path, text] of Object.entries(FRAME)) yield { path, content: Buffer.from(text) };
  yield { path: 'xl/worksheets/sheet1.xml', content: sheet(rows, layout) };
}

async function* sheet(rows: Rows, { columns, include_header, onCut }: Layout) {
  let at = 0;
  const line = (cells: readonly string[]) => {
    at += 1;
    return `<row r="${at}">${cells.join('')}</row>`;
  };
  yield Buffer.from(`${XML}<worksheet xmlns="${MAIN}"><sheetData>`);
  if (include_header) yield Buffer.from(line(columns.map((name) => cell('text', name))));
  for await (const page of rows) {
    const lines = page.map((row) =>
      line(
        columns.map((name) =>
          cell(COLUMN_DEFINITIONS[name].kind, truncateCell(row[name] ?? null, onCut)),
        ),
      ),
    );
    yield Buffer.from(lines.join(''));
  }
  yield Buffer.from('</sheetData></worksheet>');
}

/** The first day on which all spreadsheets agree. */
const FIRST_DAY = '1900-03-01';
/** Day 1 is 1 January 1900, and the numbering includes 29 February 1900, which did not exist. */
const DAYS_BEFORE_1970 = 25_569;

/** Spreadsheets report a file with longer texts as broken. Counted in UTF-16 code units. */
const CELL_CHARACTERS_MAX = 32_767;

/** The value, cut to the maximum length of a cell and marked with an ellipsis. */
function truncateCell(value: TapeRow[string], onCut?: () => void) {
  if (typeof value !== 'string' || value.length <= CELL_CHARACTERS_MAX) return value;
  onCut?.();
  const beginning = value.slice(0, CELL_CHARACTERS_MAX - 1);
  // Does not split a surrogate pair.
  return `${beginning.isWellFormed() ? beginning : beginning.slice(0, -1)}…`;
}

function cell(kind: ColumnKind, value: TapeRow[string]): string {
  if (value === null) return '<c/>';
  if (kind === 'flag') return `<c t="b"><v>${value === true ? 1 : 0}</v></c>`;
  const isDay = kind === 'day' && String(value) >= FIRST_DAY;
  if (isDay) return number(kind, dayNumber(String(value)) + DAYS_BEFORE_1970);
  if (kind === 'text' || kind === 'code' || kind === 'day')
    return `<c t="inlineStr"><is><t xml:space="preserve">${escaped(String(value))}</t></is></c>`;
  return number(kind, String(value));
}

const number = (kind: ColumnKind, value: string | number) =>
  `<c s="${STYLES[kind]}"><v>${value}</v></c>`;

/** Escapes XML and the format's own escapes (_x0041_). Characters that XML does not allow are removed. */
const escaped = (text: string) =>
  text
    .toWellFormed()
    .replace(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, '')
    .replace(/_(?=x[0-9a-fA-F]{4}_)/g, '_x005F_')
    .replace(/\r/g, '_x000D_')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;');

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const FORMATS = 'http://schemas.openxmlformats.org';
const MAIN = `${FORMATS}/spreadsheetml/2006/main`;
const RELATED = `${FORMATS}/officeDocument/2006/relationships`;
const PACKAGE = `${FORMATS}/package/2006`;
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The fixed files of the workbook. */
const FRAME = {
  '[Content_Types].xml':
    `${XML}<Types xmlns="${PACKAGE}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>` +
    `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/>` +
    `<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
  '_rels/.rels':
    `${XML}<Relationships xmlns="${PACKAGE}/relationships">` +
    `<Relationship Id="rId1" Type="${RELATED}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml':
    `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATED}">` +
    '<sheets><sheet name="Loans" sheetId="1" r:id="rId1"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels':
    `${XML}<Relationships xmlns="${PACKAGE}/relationships">` +
    `<Relationship Id="rId1" Type="${RELATED}/worksheet" Target="worksheets/sheet1.xml"/>` +
    `<Relationship Id="rId2" Type="${RELATED}/styles" Target="styles.xml"/></Relationships>`,
  // The four formats of STYLES: general, 0.00, a rate with up to eight decimals, a date.
  'xl/styles.xml':
    `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="2">` +
    '<numFmt numFmtId="164" formatCode="0.00######"/>' +
    '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/></numFmts>' +
    '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>' +
    '<fills count="2"><fill><patternFill patternType="none"/></fill>' +
    '<fill><patternFill patternType="gray125"/></fill></fills>' +
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
    '<cellXfs count="4">' +
    [0, 2, 164, 165]
      .map(
        (format) =>
          `<xf numFmtId="${format}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`,
      )
      .join('') +
    '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/>' +
    '</cellStyles></styleSheet>',
} as const;

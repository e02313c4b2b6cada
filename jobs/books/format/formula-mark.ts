/**
 * A spreadsheet runs a text as a formula if it begins with one of these signs, even behind blanks. Numbers, also with a
 * plus such as phone numbers, are not formulas. Exports that are written in SQL have their own pattern (`sql/csv.ts`), which
 * also marks numbers with a plus.
 */
const FORMULA =
  /^'*(?![-+]?\d+(?:\.\d+)?$)(?:[\t\r\n]|[\p{Z}\p{Cc}\p{Default_Ignorable_Code_Point}]*[=+@\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20-])/u;

/** Puts an apostrophe in front of a text that a spreadsheet would run. */
export const markFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** The text without the apostrophe that `markFormula` added. */
export const unmarkFormula = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;

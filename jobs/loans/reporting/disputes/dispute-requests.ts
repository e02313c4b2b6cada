import { z } from 'zod';
import { maskPersonalNumbers } from '../../../../sql/personal-numbers.ts';
import { date, text } from '../../../../sql/types.ts';
import { addDays } from '../../../dates.ts';
import { Invalid } from '../../../errors.ts';
import { CsvSyntaxError, readCsv } from '../../../files/read-csv.ts';

/** The requests that one file may contain. */
const REQUESTS_MAX = 10_000;
/** Errors that one answer lists. */
const ERRORS_MAX = 100;
/** Days after its receipt by which a bureau can ask for an answer: 45 days and the time to forward it. */
const DAYS_TO_ANSWER_MAX = 60;

const disputeCode = z.string().regex(/^\d{3}$/, 'Must be a code of three digits.');
const identifier = (length: number) =>
  text.max(length, `Must be at most ${length} characters.`).regex(/^[A-Za-z0-9 ._/#-]+$/, {
    message: 'Must contain letters, digits, blanks and . _ / # - only.',
  });

/** One request (ACDV) of a bureau. An optional column may be missing or empty. */
const Columns = z.object({
  control_number: identifier(50),
  subscriber_code: identifier(20),
  account_number: identifier(30).refine(
    (value) => /[A-Za-z0-9]/.test(value),
    'Must contain a letter or a digit.',
  ),
  response_due_date: date,
  bureau_received_date: date.optional(),
  dispute_code_1: disputeCode,
  dispute_code_2: disputeCode.optional(),
  fcra_relevant_information: z
    .string()
    .max(240, 'Must be at most 240 characters.')
    .overwrite(maskPersonalNumbers)
    .optional(),
});
export type DisputeRequest = z.output<typeof Columns> & { line: number };

export const REQUEST_COLUMNS = Object.keys(Columns.shape);
const REQUIRED = Object.entries(Columns.shape)
  .filter(([, column]) => !column.safeParse(undefined).success)
  .map(([name]) => name);

type Errors = Record<string, string>;
type ReadLine = { request: DisputeRequest } | { errors: Errors };

/**
 * Reads a file of dispute requests (CSV). Throws `Invalid` with the errors of each line if any line is
 * wrong, so that a file is imported completely or not at all.
 */
export async function readDisputeRequests(
  file: string,
  { received_date, today }: { received_date: string; today: string },
): Promise<DisputeRequest[]> {
  const requests: DisputeRequest[] = [];
  const errors: Errors = {};
  let wrong = 0;
  const lines = new Map<string, number>();
  for await (const { line, read } of readLines(file)) {
    const checked = 'errors' in read ? read : checkRequest(read.request);
    if ('errors' in checked) {
      wrong += 1;
      for (const [column, message] of Object.entries(checked.errors))
        if (Object.keys(errors).length < ERRORS_MAX) errors[`lines.${line}.${column}`] = message;
    } else requests.push(checked.request);
  }
  if (wrong > 0) throw new Invalid({ file: describeWrong(wrong), ...errors });
  if (requests.length === 0) throw new Invalid({ file: 'Contains no requests.' });
  return requests;

  function checkRequest(request: DisputeRequest): ReadLine {
    const { line, control_number } = request;
    const first = lines.get(control_number);
    if (first !== undefined)
      return { errors: { control_number: `Is already in line ${first}. Keep one of them.` } };
    lines.set(control_number, line);
    const { bureau_received_date: begun = received_date, response_due_date } = request;
    if (begun > today) return { errors: { bureau_received_date: 'Must not be in the future.' } };
    if (begun > received_date)
      return { errors: { bureau_received_date: 'Must not be after the day you received it.' } };
    if (response_due_date < begun || response_due_date > addDays(begun, DAYS_TO_ANSWER_MAX))
      return {
        errors: {
          response_due_date: `Must be within ${DAYS_TO_ANSWER_MAX} days after the dispute was received.`,
        },
      };
    return { request };
  }
}

const describeWrong = (count: number) =>
  `${count === 1 ? '1 line is' : `${count} lines are`} wrong. Nothing was imported. Correct the file and send it again.`;

async function* readLines(file: string): AsyncGenerator<{ line: number; read: ReadLine }> {
  let names: string[] | undefined;
  let count = 0;
  try {
    for await (const { line, fields } of readCsv([Buffer.from(file)])) {
      if (names === undefined) {
        names = fields.map((name) => name.trim());
        assertHeader(names);
        continue;
      }
      count += 1;
      if (count > REQUESTS_MAX)
        throw new Invalid({
          file: `Contains more than ${REQUESTS_MAX} requests. Split it into several files.`,
        });
      yield { line, read: readRequest(names, line, fields) };
    }
  } catch (error) {
    if (error instanceof CsvSyntaxError)
      throw new Invalid({ file: `Line ${error.line}: ${error.message}` });
    throw error;
  }
  if (names === undefined) throw new Invalid({ file: 'Is empty.' });
}

function assertHeader(names: readonly string[]) {
  const missing = REQUIRED.filter((name) => !names.includes(name));
  const unknown = names.find((name) => !REQUEST_COLUMNS.includes(name));
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (missing.length > 0)
    throw new Invalid({ file: `These columns are missing: ${missing.join(', ')}.` });
  if (twice !== undefined) throw new Invalid({ file: `The column ${twice} appears twice.` });
  if (unknown !== undefined)
    throw new Invalid({
      file: `Contains an unknown column. Use these columns: ${REQUEST_COLUMNS.join(', ')}.`,
    });
}

function readRequest(names: readonly string[], line: number, fields: readonly string[]): ReadLine {
  if (fields.length !== names.length)
    return { errors: { fields: `Has ${fields.length} fields, not ${names.length}.` } };
  const given = Object.fromEntries(
    names.map((name, index) => [name, fields[index]?.trim() || undefined]),
  );
  const read = Columns.safeParse(given);
  if (read.success) return { request: { ...read.data, line } };
  const errors = read.error.issues.map(({ path: [column], message }): [string, string] => [
    String(column),
    given[String(column)] === undefined ? 'Is required.' : message,
  ]);
  return { errors: Object.fromEntries(errors) };
}

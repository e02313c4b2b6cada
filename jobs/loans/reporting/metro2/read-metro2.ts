import { dateFromParts, isDate } from '../../../dates.ts';
import { Invalid } from '../../../errors.ts';
import { BASE, HEADER, readFields, SEGMENTS } from './layout.ts';

/**
 * An account as a bureau reads it in a file, with the field names of the API. Text is trimmed, dates are
 * null where the file has zeros, and amounts are whole dollars.
 */
export type FurnishedAccount = {
  identification_number: string;
  consumer_account_number: string;
  portfolio_type: string;
  account_type: string;
  date_opened: string | null;
  credit_limit: bigint;
  highest_credit: bigint;
  terms_duration: string;
  terms_frequency: string;
  scheduled_monthly_payment: bigint;
  actual_payment_amount: bigint;
  account_status: string;
  payment_rating: string;
  payment_history_profile: string;
  special_comment: string;
  compliance_condition_code: string;
  current_balance: bigint;
  amount_past_due: bigint;
  original_charge_off_amount: bigint;
  date_of_account_information: string | null;
  date_first_delinquency: string | null;
  date_closed: string | null;
  date_last_payment: string | null;
  surname: string;
  first_name: string;
  ecoa_code: string;
  consumer_information_indicator: string;
  /** Other people who owe the account (J1 and J2 segments). */
  associated: readonly { ecoa_code: string; consumer_information_indicator: string }[];
  /** A new account or identification number (L1 segment). */
  change: { indicator: string; account_number: string; identification_number: string } | null;
  /** From whom the account was bought or to whom it was sold (K2 segment). */
  purchased_or_sold: { indicator: string; name: string } | null;
  /** The balloon payment (K4 segment). */
  balloon_payment: bigint | null;
  /** The header's activity date. */
  activity_date: string;
  /** The names of fields that are not in the form of the format. */
  malformed: readonly string[];
};

type Values = Readonly<Record<string, string>>;

const BASE_WIDTH = 426;

/**
 * Reads a file in the 426-character Metro 2 format. Throws `Invalid` if a line is not a record of the
 * format. A malformed field is named in its record.
 */
export function readMetro2(text: string): FurnishedAccount[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const header = lines[0] ?? '';
  if (header.slice(4, 10) !== 'HEADER')
    throw new Invalid({
      file: 'The first line is not a header of the 426-character Metro 2 format.',
    });
  const activity_date = dateOf(readFields(header, HEADER).values['activity date']);
  if (activity_date === null)
    throw new Invalid({ file: 'The header has no activity date in columns 48 to 55.' });
  return lines.flatMap((line, index) => {
    if (index === 0 || line.slice(4, 11) === 'TRAILER') return [];
    return [readAccount(line, activity_date, index + 1)];
  });
}

/** Reads a base segment and the segments that follow it. */
export function readAccount(line: string, activity_date: string, lineNumber = 1): FurnishedAccount {
  if (line.length < BASE_WIDTH || Number(line.slice(0, 4)) !== line.length)
    throw new Invalid({
      file: `Line ${lineNumber} is not a record of the 426-character format: its first four digits must be its length.`,
    });
  const base = readFields(line, BASE);
  const segments = segmentsOf(line, lineNumber);
  const last = (kind: string) => segments.findLast((segment) => segment.kind === kind)?.values;
  const [k2, k4, l1] = [last('K2'), last('K4'), last('L1')];
  return {
    ...accountFields(base.values),
    associated: segments
      .filter(({ kind }) => kind === 'J1' || kind === 'J2')
      .map(({ values }) => personCodes(values)),
    change: l1
      ? {
          indicator: l1['change indicator'] ?? '',
          account_number: l1['new account number'] ?? '',
          identification_number: l1['new identification number'] ?? '',
        }
      : null,
    purchased_or_sold: k2
      ? {
          indicator: k2['purchased or sold indicator'] ?? '',
          name: k2['purchased or sold name'] ?? '',
        }
      : null,
    balloon_payment: k4 ? dollarsOf(k4['balloon payment']) : null,
    activity_date,
    malformed: [
      ...base.malformed,
      ...segments.flatMap(({ kind, malformed }) => malformed.map((name) => `${kind} ${name}`)),
    ],
  };
}

function segmentsOf(line: string, lineNumber: number) {
  const segments: { kind: string; values: Values; malformed: string[] }[] = [];
  for (let at = BASE_WIDTH; line.slice(at).trim() !== '';) {
    const kind = line.slice(at, at + 2);
    const fields = SEGMENTS[kind];
    const width = fields?.at(-1)?.[2];
    if (!fields || width === undefined)
      throw new Invalid({ file: `Line ${lineNumber} has an unknown segment in column ${at + 1}.` });
    segments.push({ kind, ...readFields(line.slice(at, at + width), fields) });
    at += width;
  }
  return segments;
}

const personCodes = (values: Values) => ({
  ecoa_code: values['ECOA code'] ?? '',
  consumer_information_indicator: values['consumer information indicator'] ?? '',
});

function accountFields(values: Values) {
  const text = (name: string) => values[name] ?? '';
  const amount = (name: string) => dollarsOf(values[name]);
  const day = (name: string) => dateOf(values[name]);
  return {
    identification_number: text('identification number'),
    consumer_account_number: text('consumer account number'),
    portfolio_type: text('portfolio type'),
    account_type: text('account type'),
    date_opened: day('date opened'),
    credit_limit: amount('credit limit'),
    highest_credit: amount('highest credit'),
    terms_duration: text('terms duration'),
    terms_frequency: text('terms frequency'),
    scheduled_monthly_payment: amount('scheduled monthly payment'),
    actual_payment_amount: amount('actual payment'),
    account_status: text('account status'),
    payment_rating: text('payment rating'),
    payment_history_profile: text('payment history profile'),
    special_comment: text('special comment'),
    compliance_condition_code: text('compliance condition code'),
    current_balance: amount('current balance'),
    amount_past_due: amount('amount past due'),
    original_charge_off_amount: amount('original charge-off amount'),
    date_of_account_information: day('date of account information'),
    date_first_delinquency: day('date of first delinquency'),
    date_closed: day('date closed'),
    date_last_payment: day('date of last payment'),
    surname: text('surname'),
    first_name: text('first name'),
    ...personCodes(values),
  };
}

const dollarsOf = (digits = '') => (/^\d+$/.test(digits) ? BigInt(digits) : 0n);

/** MMDDYYYY as a date. Null if it is zeros or no day of the calendar. */
function dateOf(digits = ''): string | null {
  if (!/^\d{8}$/.test(digits)) return null;
  const [month, day, year] = [digits.slice(0, 2), digits.slice(2, 4), digits.slice(4)].map(Number);
  const date = dateFromParts(year ?? 0, month ?? 0, day ?? 0);
  return isDate(date) ? date : null;
}

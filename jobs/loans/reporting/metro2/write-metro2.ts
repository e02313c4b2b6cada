import type { ReportedRecord } from '../../../../sql/loans/reporting/credit-reporting.ts';
import { associatedSegments } from './associated-segments.ts';
import {
  accountNumber,
  addressFields,
  dateField,
  NO_PHONE,
  personFields,
  phoneField,
  textField,
  type Consumer,
} from './fields.ts';
import { TRAILER_COUNTERS } from './layout.ts';

const WIDTH = 426;

export type Reporter = {
  reporter_name: string;
  reporter_address: string;
  reporter_phone: string;
  /** The furnisher's own code (field 5) for records that have none of their own. */
  identification_number: string;
  innovis: string;
  equifax: string;
  experian: string;
  transunion: string;
};

/**
 * Builds a file in the 426-character Metro 2 format (Credit Reporting Resource Guide, exhibits of the
 * header, base segment and trailer). J1 and J2 segments follow their base segment. Text is upper case and
 * left-aligned, amounts are whole dollars and right-aligned, dates are MMDDYYYY, and missing values are
 * zeros.
 */
export function metro2File(
  reporter: Reporter,
  { activity_date, created_at }: { activity_date: string; created_at: string },
  lines: readonly ReportedRecord[],
): string {
  const file = [
    header(reporter, activity_date, created_at),
    ...lines.map((line) => accountLine(line, reporter, created_at)),
    trailer(lines),
  ];
  return file.map((line) => `${line}\n`).join('');
}

const padRecord = (parts: readonly string[]) => {
  const line = parts.join('').padEnd(WIDTH);
  if (line.length !== WIDTH) throw new Error(`A record has ${line.length} characters.`);
  return line;
};

const header = (by: Reporter, activity_date: string, created_at: string) =>
  padRecord([
    '0426HEADER  ',
    textField(by.innovis, 10),
    textField(by.equifax, 10),
    textField(by.experian, 5),
    textField(by.transunion, 10),
    dateField(activity_date),
    dateField(created_at),
    dateField(created_at),
    dateField(created_at),
    textField(by.reporter_name, 40),
    textField(by.reporter_address, 96),
    phoneField(by.reporter_phone),
    textField('loan servicing', 40),
    textField('1.0', 5),
  ]);

/** The base segment with its J1 and J2 segments. Its first four digits are the total length. */
export function accountLine(line: ReportedRecord, by: Reporter, created_at: string): string {
  const others = segmentsOfCoConsumers(line)
    .map(({ segment }) => segment)
    .join('');
  const length = String(WIDTH + others.length).padStart(4, '0');
  return `${length}${baseSegment(line, by, created_at).slice(4)}${others}`;
}

const segmentsOfCoConsumers = ({ consumer, co_consumers }: ReportedRecord) =>
  associatedSegments(consumer, co_consumers);

/** Statuses that delete an account. They are dated within the month of the record (field 24). */
const DELETED = new Set(['DA', 'DF']);

function baseSegment(line: ReportedRecord, by: Reporter, created_at: string): string {
  const field = (name: string) => (line[name] ?? null) as string | number | null;
  const time = created_at.slice(11, 19).replaceAll(':', '');
  return padRecord([
    '04261',
    `${dateField(created_at)}${time}`,
    String(field('correction_indicator')),
    textField(line.identification_number ?? by.identification_number, 20),
    // The cycle identifier: unused, because every record is monthly.
    textField('', 2),
    accountNumber(line.consumer_account_number),
    textField(field('portfolio_type'), 1),
    textField(field('account_type'), 2),
    dateField(field('date_opened')),
    ...['credit_limit', 'highest_credit'].map((name) => dollars(field(name))),
    textField(field('terms_duration'), 3),
    textField(field('terms_frequency'), 1),
    ...['scheduled_monthly_payment', 'actual_payment_amount'].map((name) => dollars(field(name))),
    textField(field('account_status'), 2),
    textField(field('payment_rating'), 1),
    textField(field('payment_history_profile'), 24),
    textField(field('special_comment'), 2),
    textField(field('compliance_condition_code'), 2),
    ...['current_balance', 'amount_past_due', 'original_charge_off_amount'].map((name) =>
      dollars(field(name)),
    ),
    dateField(
      field(DELETED.has(line.account_status) ? 'reporting_period' : 'date_of_account_information'),
    ),
    ...['date_first_delinquency', 'date_closed', 'date_last_payment'].map((name) =>
      dateField(field(name)),
    ),
    textField(field('interest_type_indicator'), 1),
    textField('', 17),
    ...personFields(line.consumer),
    textField(field('ecoa_code'), 1),
    textField(field('consumer_information_indicator'), 2),
    ...addressFields(line.consumer),
  ]);
}

/** The statuses that the trailer counts, in its order. */
const COUNTED = TRAILER_COUNTERS.filter((name) => /^(DA|\d\d)$/.test(name));

function trailer(lines: readonly ReportedRecord[]): string {
  const having = (status: string) =>
    lines.filter(({ account_status }) => account_status === status).length;
  const others = lines.flatMap(segmentsOfCoConsumers);
  const bases = lines.map(({ consumer }) => consumer);
  const peopleIn = (kind: 'J1' | 'J2') =>
    others.filter((other) => other.kind === kind).map(({ who }) => who);
  const [j1, j2] = [peopleIn('J1'), peopleIn('J2')];
  const born = (people: readonly Consumer[]) =>
    people.filter((person) => person['date_of_birth']).length;
  const numbered = (people: readonly Consumer[]) =>
    people.filter((person) => person['social_security_number']).length;
  const all = [...bases, ...j1, ...j2];
  const reachable = all.filter((person) => phoneField(person['phone']) !== NO_PHONE).length;
  const deleted = [...lines, ...j1, ...j2].filter(({ ecoa_code }) => ecoa_code === 'Z').length;
  const totals = [
    // The zeros below count segments that we do not send: employment, original creditor and account
    // changes.
    having('DF'),
    j1.length,
    j2.length,
    lines.length + 2,
    ...COUNTED.map(having),
    deleted,
    0,
    0,
    0,
    0,
    0,
    0,
    ...[all, bases, j1, j2].map(numbered),
    ...[all, bases, j1, j2].map(born),
    reachable,
  ];
  return padRecord([
    '0426TRAILER',
    count(lines.length),
    textField('', 9),
    ...totals.map((total) => count(total)),
  ]);
}

const count = (value: number) => String(value).padStart(9, '0');

/** Nine digits. Larger amounts are reported as 999,999,999. */
function dollars(value: string | number | null): string {
  const digits = String(value ?? 0);
  return digits.length > 9 ? '9'.repeat(9) : digits.padStart(9, '0');
}

import type { Line } from '../../../sql/loans/credit-reporting.ts';

const WIDTH = 426;

export type Reporter = {
  reporter_name: string;
  reporter_address: string;
  reporter_phone: string;
  innovis: string;
  equifax: string;
  experian: string;
  transunion: string;
};

/**
 * A file in the 426-character form of Metro 2 (Credit Reporting Resource Guide, exhibits of the header,
 * base segment and trailer): text in capitals and to the left, amounts in whole dollars and to the
 * right, dates as MMDDYYYY, zeros where there is none.
 */
export function metro2File(
  reporter: Reporter,
  { activity_date, created_at }: { activity_date: string; created_at: string },
  lines: readonly Line[],
): string {
  const file = [
    header(reporter, activity_date, created_at),
    ...lines.map((line) => baseSegment(line, created_at)),
    trailer(lines),
  ];
  return file.map((line) => `${line}\n`).join('');
}

const whole = (parts: readonly string[]) => {
  const line = parts.join('').padEnd(WIDTH);
  if (line.length !== WIDTH) throw new Error(`A record has ${line.length} characters.`);
  return line;
};

const header = (by: Reporter, activity_date: string, created_at: string) =>
  whole([
    '0426HEADER  ',
    text(by.innovis, 10),
    text(by.equifax, 10),
    text(by.experian, 5),
    text(by.transunion, 10),
    mmddyyyy(activity_date),
    mmddyyyy(created_at),
    mmddyyyy(created_at),
    mmddyyyy(created_at),
    text(by.reporter_name, 40),
    text(by.reporter_address, 96),
    phone(by.reporter_phone),
    text('loan servicing', 40),
    text('1.0', 5),
  ]);

function baseSegment(line: Line, created_at: string): string {
  const field = (name: string) => (line[name] ?? null) as string | number | null;
  const who = (name: string) => line.consumer[name] ?? null;
  const time = created_at.slice(11, 19).replaceAll(':', '');
  return whole([
    '04261',
    `${mmddyyyy(created_at)}${time}`,
    String(field('correction_indicator')),
    // The reporter's own number for itself, and the cycle: not used.
    text('', 22),
    text(field('consumer_account_number'), 30),
    text(field('portfolio_type'), 1),
    text(field('account_type'), 2),
    mmddyyyy(field('date_opened')),
    ...['credit_limit', 'highest_credit'].map((name) => dollars(field(name))),
    text(field('terms_duration'), 3),
    text(field('terms_frequency'), 1),
    ...['scheduled_monthly_payment', 'actual_payment_amount'].map((name) => dollars(field(name))),
    text(field('account_status'), 2),
    text(field('payment_rating'), 1),
    text(field('payment_history_profile'), 24),
    text(field('special_comment'), 2),
    text(field('compliance_condition_code'), 2),
    ...['current_balance', 'amount_past_due', 'original_charge_off_amount'].map((name) =>
      dollars(field(name)),
    ),
    ...['reporting_period', 'date_first_delinquency', 'date_closed', 'date_last_payment'].map(
      (name) => mmddyyyy(field(name)),
    ),
    text(field('interest_type_indicator'), 1),
    text('', 17),
    text(who('surname'), 25),
    text(who('first_name'), 20),
    text(who('middle_name'), 20),
    generation(who('generation_code')),
    // The whole number is not kept here; zeros say that it is not available.
    '0'.repeat(9),
    mmddyyyy(who('date_of_birth')),
    phone(who('phone')),
    text(field('ecoa_code'), 1),
    text(field('consumer_information_indicator'), 2),
    text(who('country') ?? 'US', 2),
    text(who('street_line_1'), 32),
    text(who('street_line_2'), 32),
    text(who('city'), 20),
    text(who('state'), 2),
    text(who('postal_code')?.replace('-', ''), 9),
    text(who('address_indicator'), 1),
    text(who('residence_code'), 1),
  ]);
}

/** The statuses that the trailer counts, in its order, after those that it names first. */
const COUNTED = [
  'DA',
  '05',
  '11',
  '13',
  '61',
  '62',
  '63',
  '64',
  '65',
  '71',
  '78',
  '80',
  '82',
  '83',
  '84',
  '88',
  '89',
  '93',
  '94',
  '95',
  '96',
  '97',
] as const;

function trailer(lines: readonly Line[]): string {
  const having = (status: string) =>
    lines.filter(({ account_status }) => account_status === status).length;
  const born = lines.filter(({ consumer }) => consumer['date_of_birth']).length;
  const reachable = lines.filter(({ consumer }) => phone(consumer['phone']) !== NO_PHONE).length;
  const deleted = lines.filter(({ ecoa_code }) => ecoa_code === 'Z').length;
  const totals = [
    // Joint consumers (J1, J2), employments, creditors and changes have segments that we do not send.
    having('DF'),
    0,
    0,
    lines.length + 2,
    ...COUNTED.map(having),
    deleted,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    born,
    born,
    0,
    0,
    reachable,
  ];
  return whole([
    '0426TRAILER',
    count(lines.length),
    text('', 9),
    ...totals.map((total) => count(total)),
  ]);
}

const count = (value: number) => String(value).padStart(9, '0');

/** Nine digits; more than they hold is told as the most that they hold. */
function dollars(value: string | number | null): string {
  const digits = String(value ?? 0);
  return digits.length > 9 ? '9'.repeat(9) : digits.padStart(9, '0');
}

const mmddyyyy = (value: string | number | null | undefined) => {
  const date = String(value ?? '');
  return date === '' ? '0'.repeat(8) : `${date.slice(5, 7)}${date.slice(8, 10)}${date.slice(0, 4)}`;
};

const NO_PHONE = '0'.repeat(10);
const phone = (value: string | null | undefined) => {
  const digits = (value ?? '').replace(/\D/g, '').replace(/^1(?=\d{10}$)/, '');
  return digits.length === 10 ? digits : NO_PHONE;
};

/** Junior, senior, or the generation's number. */
const generation = (suffix: string | null) => {
  const known: Record<string, string> = { JR: 'J', SR: 'S', II: '2', III: '3', IV: '4', V: '5' };
  return known[(suffix ?? '').toUpperCase().replace('.', '')] ?? ' ';
};

function text(value: string | number | null | undefined, width: number): string {
  const plain = String(value ?? '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/[^A-Z0-9 #.,&'/-]/g, ' ');
  return plain.slice(0, width).padEnd(width);
}

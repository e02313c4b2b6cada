import { Big } from 'big.js';
import { stringify } from 'csv-stringify/sync';
import { addDays, addMonths } from '../../jobs/dates.ts';
import { buildSchedule, type ScheduleRow } from '../../jobs/loans/arithmetic/amortize.ts';
import { money, sum } from '../../jobs/money.ts';
import { nextRandom, pickRandom, seedRandom, type RandomSequence } from './random.ts';

const FIRST_DAY = '2026-01-02';
const DAYS = 48;
/** The as-of date of the tape's payment figures. */
const PUBLISHED = '2026-06-30';

const FIRST_NAMES = [
  'Adele',
  'Bram',
  'Celia',
  'Dario',
  'Edith',
  'Farid',
  'Greta',
  'Hanno',
  'Ines',
  'Jorge',
  'Keiko',
  'Lionel',
  'Mira',
  'Nadir',
  'Odile',
  'Pavel',
  'Quinn',
  'Rosa',
  'Selim',
  'Tamsin',
];
const LAST_NAMES = [
  'Abbott',
  'Brandt',
  'Castellan',
  'Dufresne',
  'Eastley',
  'Fontaine',
  'Greaves',
  'Holm',
  'Ibarra',
  'Jessop',
  'Kowal',
  'Lindqvist',
  'Marchetti',
  "O'Dowd",
  'Pereira',
  'Quist',
  'Renner',
  'Santoro',
  'Thackeray',
  'Ullman',
  'Vasquez',
  'Wexler',
  'Yardley',
  'Zeller',
];
const STATES = ['CA', 'TX', 'FL', 'NY', 'IL', 'OH', 'GA', 'NC', 'MI', 'WA', 'AZ', 'MA', 'CO', 'PR'];
const RATES = ['0.0599', '0.0725', '0.0849', '0.0999', '0.1175', '0.1349', '0.1599', '0.1999'];
const PURPOSES = [
  'debt_consolidation',
  'debt_consolidation',
  'credit_card',
  'medical',
  'home_improvement',
  'car',
  'car',
  'small_business',
  'major_purchase',
  'vacation',
];
const HEAD = [
  'loan_number',
  'borrower_external_id',
  'borrower_first_name',
  'borrower_last_name',
  'borrower_state',
  'principal_amount',
  'current_principal_balance',
  'interest_rate',
  'term_months',
  'payment_amount',
  'origination_date',
  'first_payment_date',
  'status',
  'source_status',
  'paid_total',
  'paid_principal',
  'paid_interest',
  'paid_late_fees',
  'purpose',
];

/** The loan statuses on the as-of date, with the number of unpaid installments. */
const STANDINGS = [
  { below: 0.82, status: 'active', source_status: 'Current', behind: 0 },
  { below: 0.87, status: 'active', source_status: 'In Grace Period', behind: 1 },
  { below: 0.92, status: 'active', source_status: 'Late (16-30 days)', behind: 1 },
  { below: 0.97, status: 'active', source_status: 'Late (31-120 days)', behind: 3 },
  { below: 0.985, status: 'paid_off', source_status: 'Fully Paid', behind: 0 },
  { below: 1, status: 'charged_off', source_status: 'Charged Off', behind: 4 },
] as const;

/** Every tenth loan belongs to the borrower of the previous loan. */
const borrowerOf = (index: number) => (index % 10 === 9 ? index - 1 : index);

function fieldsOf(random: RandomSequence, index: number) {
  const owner = borrowerOf(index);
  const origination_date = addDays(FIRST_DAY, Math.floor(nextRandom(random) * DAYS));
  const first_payment_date = addMonths(origination_date, 1);
  const term = pickRandom(random, [12, 24, 36, 36, 48, 60, 60]);
  const principal = `${(10 + Math.floor(nextRandom(random) * 240)) * 100}.00`;
  const rate = pickRandom(random, RATES);
  const plan = buildSchedule({
    principal,
    interest_rate: rate,
    payment_frequency: 'monthly',
    number_of_payments: term,
    start_date: origination_date,
    first_payment_date,
    installment_rounding: 'up',
  });
  const drawn = nextRandom(random);
  const standing = STANDINGS.find(({ below }) => drawn < below) ?? STANDINGS[0];
  const due = plan.filter((row) => row.due_date <= PUBLISHED).length;
  const paid = standing.status === 'paid_off' ? plan : plan.slice(0, due - standing.behind);
  return [
    `DM-2026-${String(index + 1).padStart(5, '0')}`,
    `DM-B-${String(owner + 1).padStart(5, '0')}`,
    FIRST_NAMES[(owner * 7) % FIRST_NAMES.length],
    LAST_NAMES[(owner * 5 + Math.floor(owner / 20)) % LAST_NAMES.length],
    STATES[(owner * 3) % STATES.length],
    principal,
    standing.status === 'charged_off' ? '0.00' : (paid.at(-1)?.ending_balance ?? principal),
    rate,
    term,
    plan[0]?.payment_amount,
    origination_date,
    first_payment_date,
    standing.status,
    standing.source_status,
    total(paid, 'payment_amount'),
    total(paid, 'principal_amount'),
    total(paid, 'interest_amount'),
    standing.behind > 1 ? '15.00' : '0.00',
    pickRandom(random, PURPOSES),
  ];
}

type Amount = 'payment_amount' | 'principal_amount' | 'interest_amount';
const total = (rows: readonly ScheduleRow[], column: Amount) =>
  money(sum(rows.map((row) => new Big(row[column]))));

/**
 * Generates a tape with this many loans: invented borrowers, and loans of various states, terms, rates and
 * purposes. The result is deterministic, and a longer tape starts with the rows of a shorter one.
 */
export function inventTape(loans: number): string {
  const random = seedRandom('tape');
  const records = Array.from({ length: loans }, (_, index) => fieldsOf(random, index));
  return stringify([HEAD, ...records]);
}

import { addDays, addMonths, monthStart } from '../../jobs/dates.ts';
import { periodicRate } from '../../jobs/loans/arithmetic/period-rate.ts';
import { levelPayment } from '../../jobs/loans/arithmetic/level-payment.ts';
import { money, parseMoney, parseRate } from '../../jobs/money.ts';
import { nextRandom, pickRandom, seedRandom } from './random.ts';
import { productFor } from './demo-tenant.ts';
import type { TapeRow } from './read-tape.ts';

const STREETS = ['Maple Street', 'Oak Avenue', 'Hill Road', 'Station Street', 'Lake Drive'];
const CITIES = ['Springfield', 'Fairview', 'Riverside', 'Greenville', 'Clinton'];

/**
 * A tape has balances as of its publication. The demo services loans from their first day, so an active
 * loan is boarded with its whole principal on its origination date. Loans that the tape calls paid off or
 * charged off are boarded as such. The tapes have no addresses and emails, so this invents them.
 */
export function rewindToOrigination(row: TapeRow): TapeRow {
  const random = seedRandom(`home ${row.borrower_external_id}`);
  const name = `${row.borrower_first_name}.${row.borrower_last_name}.${row.borrower_external_id}`;
  const { principal_amount, current_principal_balance, status } = row;
  return {
    ...row,
    current_principal_balance: status === 'active' ? principal_amount : current_principal_balance,
    product_code: productFor(row),
    borrower_email: `${name.toLowerCase().replace(/[^a-z0-9.-]/g, '')}@mail.test`,
    borrower_street: `${1 + Math.floor(nextRandom(random) * 900)} ${pickRandom(random, STREETS)}`,
    borrower_city: pickRandom(random, CITIES),
    borrower_postal_code: String(10_000 + Math.floor(nextRandom(random) * 89_999)),
  };
}

export type Comparison = { compared: number; matched: number; differing: readonly string[] };

/**
 * Compares each published installment with the level payment of the loan's amount, rate and term, rounded
 * up to the cent. Lists the differing ones with both figures.
 */
export function compareInstallments(rows: readonly TapeRow[]): Comparison {
  const differing = rows.flatMap((row) => {
    const ours = money(
      levelPayment(
        parseMoney(row.principal_amount),
        periodicRate(parseRate(row.interest_rate), 'monthly'),
        row.term_months,
        { rounding: 'up' },
      ),
    );
    if (ours === row.payment_amount) return [];
    const reason = reasonOf(ours, row.payment_amount);
    return [`${row.loan_number}: ${ours} computed, ${row.payment_amount} published (${reason})`];
  });
  return { compared: rows.length, matched: rows.length - differing.length, differing };
}

/**
 * One cent is a rounding difference. More means that the contract has terms that the tape does not contain.
 */
function reasonOf(ours: string, published: string): string {
  const apart = parseMoney(ours).minus(parseMoney(published)).abs();
  return apart.lte('0.01') ? 'the lender rounds another way' : 'other terms than the tape says';
}

/** The days to close: from the first origination to the end of the third month. */
export function closingPeriod(rows: readonly TapeRow[], wanted: string | null) {
  const dates = rows.map(({ origination_date }) => origination_date).sort();
  const first = dates[0] ?? '';
  const through = wanted ?? addDays(addMonths(monthStart(first), 3), -1);
  return { first, through };
}

import { Big } from 'big.js';
import { reckonAnew, type Reckoned } from '../../jobs/loans/history/reckon-anew.ts';
import { money } from '../../jobs/money.ts';
import { SYSTEM, workOf } from '../../jobs/work.ts';
import { withEvents } from '../../sql/loans/booked.ts';
import { startBar } from '../processes/progress.ts';
import { Misused, type Operation } from './operation.ts';
import { tenantOf } from './tenant-of.ts';

const BALANCES = [
  ...(['principal_balance', 'accrued_interest', 'outstanding_fees'] as const),
  ...(['suspense_balance', 'charge_off_balance'] as const),
];

/** Looked at without a trace: what was reckoned is undone with its transaction. */
class Undone extends Error {
  readonly reckoned: Reckoned;
  constructor(reckoned: Reckoned) {
    super();
    this.reckoned = reckoned;
  }
}

/** Loan by loan, each in a transaction of its own, so it may be broken off and asked for again. */
export const reckon: Operation = {
  name: 'reckon',
  usage: 'look|book [--tenant SLUG]',
  summary: 'after a release that reckons otherwise: by how much loans change, or books it',
  words: 1,
  options: ['tenant'],
  run: async ({ app, words, options, installation }) => {
    const [mode] = words;
    if (mode !== 'look' && mode !== 'book') throw new Misused('Say look or book.');
    const { id: tenant } = await tenantOf(app, options['tenant']);
    const within = workOf(app, SYSTEM, installation);
    const loans = await within(tenant, ({ tx }) => withEvents(tx), { readOnly: true });
    const bar = startBar('Reckoning', loans.length, process.stderr);
    const rows: Record<string, unknown>[] = [];
    for (const [index, { id, loan_number }] of loans.entries()) {
      const reckoned = await within(tenant, async (work) => {
        const found = await reckonAnew(work, id);
        if (mode === 'look') throw new Undone(found);
        return found;
      }).catch((error: unknown) => {
        if (error instanceof Undone) return error.reckoned;
        throw error;
      });
      const changes = changesOf(reckoned);
      if (changes.length > 0) rows.push({ loan_number, ...Object.fromEntries(changes) });
      bar.at(index + 1, 'loans');
    }
    bar.end(`${loans.length} loans, ${rows.length} of which change`);
    return rows.length === 0 ? { say: 'Every loan is what was kept of it.', rows } : { rows };
  },
};

/** By how much each balance changes, as far as it does. */
const changesOf = ({ before, after }: Reckoned) =>
  BALANCES.map((name) => [name, new Big(after[name]).minus(before[name])] as const)
    .filter(([, change]) => !change.eq(0))
    .map(([name, change]) => [name, money(change)]);

import { Big } from 'big.js';
import { refoldLoan, type RefoldResult } from '../../jobs/loans/history/refold-loan.ts';
import { money } from '../../jobs/money.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { loansWithEvents } from '../../sql/loans/stored-balances.ts';
import { startProgressBar } from '../processes/progress-bar.ts';
import { UsageError, type Operation } from './operation.ts';
import { findTenant } from './find-tenant.ts';

const BALANCES = [
  ...(['principal_balance', 'accrued_interest', 'outstanding_fees'] as const),
  ...(['suspense_balance', 'charge_off_balance'] as const),
];

/** Rolls back the transaction, so that a preview leaves no trace. */
class PreviewRollback extends Error {
  readonly refolded: RefoldResult;
  constructor(refolded: RefoldResult) {
    super();
    this.refolded = refolded;
  }
}

/** Each loan has its own transaction, so you can interrupt the operation and run it again. */
export const refoldLoans: Operation = {
  name: 'refold',
  usage: 'look|book [--tenant SLUG]',
  summary: 'After a release that changes calculations: shows the changed balances, or books them',
  words: 1,
  options: ['tenant'],
  run: async ({ app, words, options, installation }) => {
    const [mode] = words;
    if (mode !== 'look' && mode !== 'book') throw new UsageError('Use look or book.');
    const { id: tenant } = await findTenant(app, options['tenant']);
    const within = createWithin(app, SYSTEM, installation);
    const loans = await within(tenant, ({ tx }) => loansWithEvents(tx), { readOnly: true });
    const bar = startProgressBar('Recalculating', loans.length, process.stderr);
    const rows: Record<string, unknown>[] = [];
    for (const [index, { id, loan_number }] of loans.entries()) {
      const refolded = await within(tenant, async (work) => {
        const found = await refoldLoan(work, id);
        if (mode === 'look') throw new PreviewRollback(found);
        return found;
      }).catch((error: unknown) => {
        if (error instanceof PreviewRollback) return error.refolded;
        throw error;
      });
      const changes = changesOf(refolded);
      if (changes.length > 0) rows.push({ loan_number, ...Object.fromEntries(changes) });
      bar.at(index + 1, 'loans');
    }
    bar.end(`${loans.length} loans, ${rows.length} of which change`);
    return rows.length === 0 ? { say: 'All stored balances are correct.', rows } : { rows };
  },
};

/** The change of each balance that differs. */
const changesOf = ({ before, after }: RefoldResult) =>
  BALANCES.map((name) => [name, new Big(after[name]).minus(before[name])] as const)
    .filter(([, change]) => !change.eq(0))
    .map(([name, change]) => [name, money(change)]);

import type { Work } from '../../work.ts';
import { settling } from '../history/withdrawn.ts';
import { happen, type OpenLoan } from '../history/happen.ts';

/**
 * A settlement that is fulfilled closes the loan for less than was owed. The rest is forgiven on the day
 * on which the last of it was paid, the books take the loss, and the tax form follows.
 */
export async function settle(work: Work, loan: OpenLoan, on: string) {
  await happen(work, loan, [settling(on)], { trigger: 'settlement' });
}

import type { Work } from '../../work.ts';
import { settlementForgiveness } from '../history/withdrawn-events.ts';
import { recordEvents, type OpenLoan } from '../history/record-events.ts';

/**
 * A settlement that is fulfilled closes the loan for less than was owed. The rest is forgiven on the day
 * on which the last of it was paid, the books take the loss, and the tax form follows.
 */
export async function completeSettlement(work: Work, loan: OpenLoan, on: string) {
  await recordEvents(work, loan, [settlementForgiveness(on)], { trigger: 'settlement' });
}

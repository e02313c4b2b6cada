import type { Work } from '../../work.ts';
import { settlementForgiveness } from '../history/recording/withdrawn-events.ts';
import { recordEvents } from '../history/record-events.ts';
import type { OpenLoan } from '../history/open-loan.ts';

/**
 * Closes a loan whose settlement is fully paid. The remaining debt is forgiven on the day of the last
 * settlement payment, and the loss is booked on that day. Form 1099-C follows.
 */
export async function completeSettlement(work: Work, loan: OpenLoan, on: string) {
  await recordEvents(work, loan, [settlementForgiveness(on)], { trigger: 'settlement' });
}

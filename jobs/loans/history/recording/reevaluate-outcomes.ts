import type { RawLoan } from '../../../../sql/loans/loans.ts';
import type { Work } from '../../../work.ts';
import { reevaluatePlans } from '../../outcomes/payment-plans.ts';
import { reevaluatePromises } from '../../outcomes/promises.ts';
import { listReceipts } from '../../outcomes/receipts.ts';
import { remindOfficer } from '../../outcomes/remind-officer.ts';
import type { OpenLoan } from '../open-loan.ts';
import type { LoanChange } from './fold-change.ts';
import { affectsPastDays, evaluationCutoff } from './withdrawn-events.ts';

/**
 * Reevaluates payment plans and promises by the payments known now, if the new events can change the past. Returns
 * sentences about outcomes that no longer hold.
 */
export async function reevaluateOutcomes(
  work: Work,
  loan: Pick<OpenLoan, 'row'>,
  { newEvents, input, after, isBoarding }: LoanChange,
): Promise<string[]> {
  if (isBoarding || !affectsPastDays(newEvents, work.today)) return [];
  const receipts = listReceipts(input.events, after.events);
  const cutoff = evaluationCutoff(work, loan);
  const promises = await reevaluatePromises(work, loan.row.id, receipts, cutoff);
  return [...promises, ...(await reevaluatePlans(work, loan.row.id, receipts, cutoff))];
}

/** Notifies the officer of conclusions that no longer hold. */
export async function notifyOfficer(work: Work, loan: RawLoan, sentences: readonly string[]) {
  if (sentences.length === 0) return;
  const title = `Review ${loan.loan_number}: earlier conclusions have changed`;
  await remindOfficer(work, loan, { title, description: sentences.join(' '), priority: 'high' });
}

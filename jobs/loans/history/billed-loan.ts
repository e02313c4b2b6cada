import type { Work } from '../../work.ts';
import { readAgreedSteps } from '../agreed/read-agreed-steps.ts';
import type { NextBill } from '../engine/bill.ts';
import { replay } from '../engine/fold.ts';
import { startFuture, type AgreedStep } from '../engine/projection/agreed-steps.ts';
import { billAsAgreed, nextBillAsAgreed } from '../engine/projection/next-bill-as-agreed.ts';
import { readPastLoan, type Knowledge, type OpenLoan } from './open-loan.ts';

export type BilledLoan = OpenLoan & {
  /** The steps agreed for later days. Empty for a past day. */
  agreed: readonly AgreedStep[];
  /** The next bill, if an agreed change comes before its due date. Otherwise null. */
  nextBill: NextBill | null;
};

/** Reads a loan like `readPastLoan`. Today's bill includes the changes agreed until its due date. */
export async function readBilledLoan(
  work: Work,
  loanId: string,
  asOf: string,
  known: Knowledge,
): Promise<BilledLoan> {
  const loan = await readPastLoan(work, loanId, asOf, known);
  const agreed = asOf === work.today ? await readAgreedSteps(work, loan) : [];
  if (agreed.length === 0) return { ...loan, agreed, nextBill: null };
  const { input } = loan.folded;
  const run = loan.folded.run ?? replay(input);
  const nextBill = nextBillAsAgreed(run, startFuture(input, agreed));
  const state = nextBill ? { ...loan.state, ...billAsAgreed(run, nextBill) } : loan.state;
  return { ...loan, state, agreed, nextBill };
}

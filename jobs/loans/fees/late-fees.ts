import { recordLateFeeExemptions } from '../../../sql/loans/fees/late-fee-exemptions.ts';
import { money } from '../../money.ts';
import type { Work } from '../../work.ts';
import { billsOn } from '../engine/bills.ts';
import type { LoanEvent } from '../engine/events.ts';
import { replay } from '../engine/fold.ts';
import { openLoan } from '../history/open-loan.ts';
import { recordEvents } from '../history/record-events.ts';
import {
  exemptInstallment,
  lateFeeExemption,
  lateFeeFor,
  lateFeePolicy,
  openLateFeeCases,
  type LateFeeCase,
} from '../history/late-fee-rules.ts';
import { assessFee } from './origination-fees.ts';

/**
 * Decides once per installment whether it bears a late fee: at the first close after its grace days on
 * which it is not covered. Coverage decides, so an installment paid in full on time is not late because an
 * older fee took part of the payment (16 CFR 444.4, 12 CFR 1026.36(c)(2)). An exemption is final, however
 * much becomes past due later.
 */
export async function assessLateFees(work: Work, loanId: string) {
  const loan = await openLoan(work, loanId);
  const run = loan.folded.run ?? replay(loan.folded.input);
  const policy = lateFeePolicy(loan.row, run);
  if (policy === null) return;
  const { position } = run;
  const { bills } = billsOn(position, work.today);
  const due = openLateFeeCases(policy, position, bills.late).filter(
    ({ last_day }) => last_day < work.today,
  );
  const exempt = [];
  const charged: LateFeeCase[] = [];
  for (const open of due) {
    if (charged.some(({ installment }) => installment === open.installment)) continue;
    const reason = lateFeeExemption(policy, open, position, work.today);
    if (reason === null) charged.push(open);
    else exempt.push({ ...exemptInstallment(open), reason });
  }
  if (exempt.length > 0) await recordLateFeeExemptions(work.tx, loanId, exempt);
  if (due.length === 0) return;
  const events: LoanEvent[] = [];
  for (const open of charged) events.push(await chargeLateFee(work, loanId, open));
  // Open the loan again, so that its outlook contains the new exemptions.
  await recordEvents(work, exempt.length > 0 ? await openLoan(work, loanId) : loan, events);
}

function chargeLateFee(work: Work, loanId: string, { rule, installment, amount }: LateFeeCase) {
  const { row } = installment;
  const fee = {
    fee_type: 'late',
    // Throws if the rule cannot be read. The close then quarantines the loan.
    amount: money(amount ?? lateFeeFor(rule, installment).amount),
    on: work.today,
    installment_number: row.period_number,
    fee_rule_id: rule.id ?? null,
    due_date: work.today,
    description: `Late fee for the payment due ${row.due_date}`,
  };
  return assessFee(work, { id: loanId }, fee);
}

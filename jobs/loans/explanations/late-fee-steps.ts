import { listLateFeeRules } from '../../../sql/loans/fees/fees.ts';
import { addDays, latest } from '../../dates.ts';
import { money, parseMoney, sum } from '../../money.ts';
import type { Work } from '../../work.ts';
import type { InstallmentState } from '../engine/bills.ts';
import { fold, replay, type Replay } from '../engine/fold.ts';
import { positionOn } from '../engine/run.ts';
import type { FeeState } from '../engine/state.ts';
import { fundingDate } from '../agreed/resume-accrual.ts';
import { lateFeeExemption, lateFeeFor, lateFeePolicy } from '../history/late-fee-rules.ts';
import type { OpenLoan } from '../history/open-loan.ts';
import { feeText } from '../origination/fee-texts.ts';
import { lateFeeGraceDays, loanFeeRules, type FeeRule } from '../products/fee-amounts.ts';
import { newStep, type Calculation, type WordedStep } from './explanation.ts';

/** The unpaid late fees, the rules that charge them, and what the rules decide about open installments. */
export async function explainLateFees({ tx }: Work, loan: OpenLoan): Promise<Calculation> {
  const { row, state } = loan;
  const rules = loanFeeRules(row).filter(({ trigger }) => trigger === 'past_due');
  const lateFees = state.fees.filter(({ fee_type }) => fee_type === 'late');
  const unpaid = lateFees.filter((fee) => parseMoney(fee.outstanding_amount).gt(0));
  const ruleIds = new Map(
    (await listLateFeeRules(tx, row.id)).map(({ id, fee_rule_id }) => [id, fee_rule_id]),
  );
  const amount = money(sum(unpaid.map((fee) => parseMoney(fee.outstanding_amount))));
  const charged = unpaid.flatMap((fee) => {
    const ruleId = ruleIds.get(fee.fee_id) ?? null;
    return chargedSteps(
      loan,
      fee,
      ruleId === null ? undefined : rules.find(({ id }) => id === ruleId),
    );
  });
  const run = loan.folded.run ?? replay(loan.folded.input);
  const decisions = {
    run,
    policy: lateFeePolicy(row, run),
    charged: new Set(lateFees.map(({ installment_number }) => installment_number)),
  };
  const decided = rules.flatMap((rule) => [
    ruleStep(loan, rule),
    ...openInstallments(loan).flatMap((bill) => decisionSteps(loan, { rule, bill, decisions })),
  ]);
  const none =
    rules.length === 0 ? [newStep('no_late_fee', { amount: '0.00' }, 'no_late_fee')] : [];
  return {
    amount,
    days: null,
    steps: [...charged, ...decided, ...none],
    summary: {
      key: unpaid.length > 0 ? 'late_fee.some' : 'late_fee.none',
      values: { date: state.as_of, amount },
    },
  };
}

/** A late fee, and the part of it that was paid or waived. */
function chargedSteps(loan: OpenLoan, fee: FeeState, rule: FeeRule | undefined): WordedStep[] {
  const { fee_id, fee_type, assessed_date, amount, outstanding_amount } = fee;
  const facts = { fee_id, fee_type, assessed_date, amount };
  const settled = parseMoney(outstanding_amount).minus(amount);
  return [
    chargedStep(loan, { fee, facts, rule }),
    ...(settled.eq(0)
      ? []
      : [
          newStep('late_fee_settled', { amount: money(settled), fee: facts }, 'late_fee_settled', {
            assessed: assessed_date,
          }),
        ]),
  ];
}

type Charged = { fee: FeeState; facts: NonNullable<WordedStep['fee']>; rule: FeeRule | undefined };

function chargedStep(loan: OpenLoan, { fee, facts, rule }: Charged): WordedStep {
  const { amount, assessed_date: assessed } = fee;
  const bill = billOf(loan.state.installments, fee);
  if (rule === undefined || bill === undefined)
    return newStep('late_fee_charged', { amount, fee: facts }, 'late_fee_charged.other', {
      assessed,
    });
  const last_day_on_time = addDays(bill.due_date, lateFeeGraceDays(rule, loan.row));
  const base_amount = baseOf(loan, fee, rule);
  const late_fee = { ...ruleFacts(loan, rule), last_day_on_time, base_amount };
  return newStep(
    'late_fee_charged',
    { amount, fee: facts, installment: installmentFacts(bill), late_fee },
    base_amount === null ? 'late_fee_charged.rule' : 'late_fee_charged.base',
    {
      assessed,
      due_date: bill.due_date,
      last_day: last_day_on_time,
      base: base_amount,
      policy: (reader) => feeText(rule, reader),
    },
  );
}

const billOf = (installments: readonly InstallmentState[], fee: FeeState) =>
  installments.find(({ period_number }) => period_number === fee.installment_number);

/**
 * The amount to which the fee's percentage applied. For a percentage of the unpaid rest, the rest on the day
 * of the fee. Null if the rule has no percentage, or if it does not lead to the fee that was charged.
 */
function baseOf({ state, folded }: OpenLoan, fee: FeeState, rule: FeeRule): string | null {
  if (rule.calculation === 'flat') return null;
  const isOfRest = rule.calculation === 'percent_of_past_due';
  const then = isOfRest ? fold({ ...folded.input, as_of: fee.assessed_date }) : state;
  const bill = billOf(then.installments, fee);
  if (bill === undefined) return null;
  const { base, amount } = lateFeeFor(rule, amountsOf(bill));
  return money(amount) === fee.amount ? base : null;
}

const amountsOf = (bill: InstallmentState) => ({
  amount: parseMoney(bill.payment_amount),
  covered: parseMoney(bill.paid_amount),
});

const ruleFacts = ({ row }: OpenLoan, rule: FeeRule) => ({
  fee_rule_id: rule.id ?? null,
  calculation: rule.calculation,
  condition: rule.late_fee_rule ?? 'standard',
  grace_days: lateFeeGraceDays(rule, row),
  last_day_on_time: null,
  base_amount: null,
  fee_amount: null,
  exemption: null,
});

const installmentFacts = (bill: InstallmentState) => ({
  number: bill.period_number,
  due_date: bill.due_date,
  payment_amount: bill.payment_amount,
  paid_amount: bill.paid_amount,
});

function ruleStep(loan: OpenLoan, rule: FeeRule): WordedStep {
  const late_fee = ruleFacts(loan, rule);
  return newStep(
    'late_fee_rule',
    { amount: '0.00', late_fee },
    `late_fee_rule.${rule.late_fee_rule ?? 'standard'}`,
    { grace: late_fee.grace_days, policy: (reader) => feeText(rule, reader) },
  );
}

const OPEN = new Set(['past_due', 'partially_paid', 'due', 'upcoming']);

/** The unpaid installments through the next due date. */
function openInstallments({ state }: OpenLoan): InstallmentState[] {
  const last = state.bill.due_date ?? state.as_of;
  return state.installments.filter(({ status, due_date }) => OPEN.has(status) && due_date <= last);
}

type Decision = {
  rule: FeeRule;
  bill: InstallmentState;
  decisions: {
    run: Replay;
    policy: ReturnType<typeof lateFeePolicy>;
    charged: ReadonlySet<number | null>;
  };
};

/** Whether the installment may still get a late fee. The close decides after its last day on time. */
function decisionSteps(loan: OpenLoan, { rule, bill, decisions }: Decision): WordedStep[] {
  const { row, state } = loan;
  const { period_number, due_date } = bill;
  const graceEnd = addDays(due_date, lateFeeGraceDays(rule, row));
  const { base, amount } = lateFeeFor(rule, amountsOf(bill));
  const { run, policy, charged } = decisions;
  const { closed_through } = run.position;
  const isTakenOver = graceEnd < (closed_through ?? fundingDate(loan) ?? graceEnd);
  const installment = run.position.installments.find(
    (one) => one.row.period_number === period_number,
  );
  if (policy === null || installment === undefined || isTakenOver) return [];
  if (charged.has(period_number) || amount.lte(0)) return [];
  const isOver = graceEnd < state.as_of;
  const recorded = policy.facts.exemptions.find(
    (one) =>
      one.installment_number === period_number &&
      one.due_date === due_date &&
      one.fee_rule_id === (rule.id ?? null),
  );
  const decision = latest(addDays(graceEnd, 1), state.as_of);
  const open = { rule, installment, last_day: graceEnd, amount };
  const expected = lateFeeExemption(policy, open, positionOn(run, decision), decision);
  const exemption = isOver ? (recorded?.reason ?? expected) : unaffectedByPayments(expected);
  const late_fee = {
    ...ruleFacts(loan, rule),
    last_day_on_time: graceEnd,
    base_amount: rule.calculation === 'flat' ? null : base,
    fee_amount: money(amount),
    exemption,
  };
  const facts = { amount: '0.00', installment: installmentFacts(bill), late_fee };
  if (exemption !== null)
    return [newStep('late_fee_exempt', facts, `late_fee_exempt.${exemption}`, { due_date })];
  if (addDays(graceEnd, 1) < state.as_of) return [];
  const values = { due_date, last_day: graceEnd, fee_amount: money(amount) };
  return [newStep('late_fee_pending', facts, 'late_fee_pending', values)];
}

/** Exemptions that no payment can change. */
const unaffectedByPayments = (exemption: ReturnType<typeof lateFeeExemption>) =>
  exemption === 'partly_paid' || exemption === 'small_remainder' ? null : exemption;

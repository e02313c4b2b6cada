import type { Big } from 'big.js';
import * as loans from '../../../sql/loans/loans.ts';
import * as records from '../../../sql/loans/records.ts';
import { newId } from '../../../sql/new-id.ts';
import { insert } from '../../../sql/write.ts';
import { Conflict } from '../../errors.ts';
import { atLeastZero, money, parseMoney, sum } from '../../money.ts';
import {
  assertBankOrder,
  prepareBankOrder,
  saveOrderAccount,
} from '../../payments/nacha/bank-order.ts';
import type { Work } from '../../work.ts';
import type { LoanEvent } from '../engine/events.ts';
import { assertFeesAllowed } from '../fees/forgiven-fees.ts';
import { assessFee } from '../fees/origination-fees.ts';
import { recordEvents } from '../history/record-events.ts';
import type { OpenLoan } from '../history/open-loan.ts';
import { openInService } from '../history/loan-records.ts';
import { newEvent } from '../history/new-event.ts';
import { assertInHistory } from '../history/accrual-stops.ts';
import { assertNotBlocked } from '../history/statuses.ts';
import { refusalDetails } from '../products/refusals.ts';
import { feeAmount, loanFeeRules } from '../products/fee-amounts.ts';
import { furtherFundingEvents } from './further-funding-events.ts';
import { notFundableReason } from './further-disbursements.ts';

type NewDraw = {
  loan_id: string;
  amount: string;
  draw_date?: string | null | undefined;
  purpose?: string | null | undefined;
  payment_instrument_id?: string | null | undefined;
  external_id?: string | null | undefined;
  fee_amount?: string | null | undefined;
};

/**
 * Draws on a line of credit, up to its available credit. The fee is the one in the request, or the
 * product's. A new schedule repays the larger balance by the same due dates.
 */
export async function draw(work: Work, input: NewDraw): Promise<string> {
  const loan = await openInService(work, input.loan_id);
  const { row } = loan;
  const available = availableCredit(loan);
  const available_credit = money(available);
  assertNotBlocked(row, 'draws', { ...notFundableReason(row), available_credit });
  await assertBankOrder(work, row.borrower_id, input, { is_credit: true });
  const on = input.draw_date ?? work.today;
  assertInHistory(work, loan, 'draw_date', on);
  const amount = parseMoney(input.amount);
  if (amount.gt(available)) {
    throw new Conflict(
      'The draw exceeds the available credit. See available_credit.',
      'exceeds_available_credit',
      {
        ...refusalDetails(row),
        available_credit,
      },
    );
  }
  const id = newId();
  const { send_by, transit } = await prepareBankOrder(work, input);
  const facts = { amount: input.amount, ...transit };
  const funding = newEvent({ id, kind: 'draw', effective_date: on, ...facts });
  const drawFees = feesOf(loan, input);
  const fees: LoanEvent[] = [];
  for (const fee of drawFees) fees.push(await assessDrawFee(work, loan, id, on, fee));
  const state = await recordEvents(work, loan, [...furtherFundingEvents(loan, funding), ...fees]);
  await loans.addDisbursed(work.tx, row.id, input.amount);
  const { purpose, payment_instrument_id, external_id } = input;
  await insert(work.tx, 'draws', {
    id,
    loan_id: row.id,
    amount: input.amount,
    draw_date: on,
    purpose,
    payment_instrument_id,
    send_by,
    external_id,
    fee_amount: money(sum(drawFees.map(({ amount }) => amount))),
    draw_number: (await records.countRecords(work.tx, 'draws', row.id)) + 1,
    outstanding_principal: state.principal_balance,
    interest_rate: state.current_rate,
    available_credit_after: money(atLeastZero(available.minus(amount))),
    created_by: work.actor.id,
  });
  await saveOrderAccount(work, { draw_id: id }, input);
  return id;
}

/** The limit (default: the approved amount) minus the principal balance. */
function availableCredit({ row, state }: OpenLoan): Big {
  const limit = row.credit_limit ?? row.principal_amount;
  return atLeastZero(parseMoney(limit).minus(state.principal_balance));
}

type DrawFee = { amount: Big; fee_rule_id: string | null };

/** The fee in the request, or one fee for each of the product's draw rules. */
function feesOf(loan: OpenLoan, { amount, fee_amount }: NewDraw): DrawFee[] {
  const rules = loanFeeRules(loan.row).filter(({ trigger }) => trigger === 'draw');
  const isNamed = fee_amount !== null && fee_amount !== undefined;
  const fees = isNamed
    ? [{ amount: parseMoney(fee_amount), fee_rule_id: null }]
    : rules.map((rule) => ({ amount: feeAmount(rule, amount), fee_rule_id: rule.id ?? null }));
  const charged = fees.filter((fee) => fee.amount.gt(0));
  if (isNamed && charged.length > 0) assertFeesAllowed(loan, loan.state.as_of);
  return loan.state.forgives_fees ? [] : charged;
}

function assessDrawFee(
  work: Work,
  { row }: OpenLoan,
  draw_id: string,
  on: string,
  { fee_rule_id, amount }: DrawFee,
) {
  const about = { fee_type: 'draw', on, description: 'Fee for a draw', fee_rule_id, draw_id };
  return assessFee(work, row, { ...about, amount: money(amount) });
}

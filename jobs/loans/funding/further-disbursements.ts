import { lastDisbursementId } from '../../../sql/loans/funding/disbursements.ts';
import { update } from '../../../sql/write.ts';
import { Conflict } from '../../errors.ts';
import { money, parseMoney } from '../../money.ts';
import {
  assertBankOrder,
  prepareBankOrder,
  saveOrderAccount,
  defaultMethod,
  type BankOrder,
} from '../../payments/nacha/bank-order.ts';
import type { Work } from '../../work.ts';
import { assessOriginationFees } from '../fees/origination-fees.ts';
import { recordEvents } from '../history/record-events.ts';
import type { OpenLoan } from '../history/open-loan.ts';
import { openInService } from '../history/loan-records.ts';
import { assertInHistory } from '../history/accrual-stops.ts';
import { assertNotBlocked } from '../history/statuses.ts';
import { refusalDetails } from '../products/refusals.ts';
import { disburse, type DISBURSEMENT_METHODS } from './first-disbursement.ts';
import { furtherFundingEvents } from './further-funding-events.ts';
import { discloseFurtherFunding } from './funding-disclosure.ts';
import { emitDisbursed, writeDisbursement } from './write-disbursement.ts';

export const PAYEE_TYPES = ['borrower', 'merchant', 'dealer', 'payoff_third_party'] as const;

export type NewDisbursement = {
  loan_id: string;
  amount?: string | null | undefined;
  disbursement_date?: string | null | undefined;
  method?: (typeof DISBURSEMENT_METHODS)[number] | null | undefined;
  payment_instrument_id?: string | null | undefined;
  payee_name?: string | null | undefined;
  payee_type: (typeof PAYEE_TYPES)[number];
  reference_number?: string | null | undefined;
};

/**
 * Pays out part of the approved amount. The first disbursement funds an approved loan. Later ones need an
 * active loan, and a new schedule repays the larger balance by the same due dates.
 */
export async function addDisbursement(work: Work, input: NewDisbursement): Promise<string> {
  const loan = await openInService(work, input.loan_id, ['approved', 'active']);
  const { payment_instrument_id, payee_name, payee_type, reference_number } = input;
  const named = { payment_instrument_id, method: input.method ?? null };
  await assertBankOrder(work, loan.row.borrower_id, named, { is_credit: true });
  const order = await prepareBankOrder(work, named);
  const how = { ...input, method: defaultMethod(payment_instrument_id, input.method) };
  const id = await (loan.row.status === 'approved' ? recordFirst : recordFurther)(
    work,
    loan,
    how,
    order,
  );
  const payee = { payment_instrument_id, payee_name, payee_type, reference_number };
  await update(work.tx, 'disbursements', id, payee);
  await saveOrderAccount(work, { disbursement_id: id }, named);
  return id;
}

async function recordFirst(work: Work, loan: OpenLoan, input: NewDisbursement, order: BankOrder) {
  const { amount, disbursement_date, method } = input;
  await disburse(work, loan.row.id, { amount, disbursement_date, method }, order);
  return lastDisbursementId(work.tx, loan.row.id);
}

async function recordFurther(work: Work, loan: OpenLoan, input: NewDisbursement, order: BankOrder) {
  const { row } = loan;
  const on = input.disbursement_date ?? work.today;
  assertInHistory(work, loan, 'disbursement_date', on);
  const rest = parseMoney(row.principal_amount).minus(row.disbursed_amount);
  assertNotBlocked(row, 'disburse', { ...notFundableReason(row), available: money(rest) });
  const amount = input.amount ? parseMoney(input.amount) : rest;
  if (amount.gt(rest)) {
    throw new Conflict(
      'The amount exceeds the remaining approved amount. See available.',
      'exceeds_commitment',
      {
        ...refusalDetails(row),
        available: money(rest),
      },
    );
  }
  const payout = { amount: money(amount), on, method: input.method };
  const fees = await assessOriginationFees(work, row, { ...payout, isFirst: false });
  const lending = await writeDisbursement(work, row.id, payout, fees, order);
  const events = [...furtherFundingEvents(loan, lending, fees.spread), ...fees.owed];
  const { principal_balance, next_payment_date } = await recordEvents(work, loan, events);
  const after = { principal_balance, first_payment_date: next_payment_date };
  await emitDisbursed(work, row, lending, fees, after);
  await discloseFurtherFunding(work, loan, { amount: payout.amount, on, events });
  return lending.disbursement_id;
}

/** Frozen, accelerated and non-accrual loans cannot receive more money. */
export const notFundableReason = (row: OpenLoan['row']) => {
  const reason = (['is_frozen', 'is_accelerated', 'is_non_accrual'] as const).find(
    (name) => row[name],
  );
  return reason && { reason };
};

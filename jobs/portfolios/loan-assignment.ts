import { Big } from 'big.js';
import * as investors from '../../sql/portfolios/investors.ts';
import * as assignments from '../../sql/portfolios/loan-assignments.ts';
import type { Row } from '../../sql/table.ts';
import { insert, update, type Values } from '../../sql/write.ts';
import { assertLegallyAllowed } from '../cases/legally-allowed.ts';
import { Conflict, Invalid } from '../errors.ts';
import type { Work } from '../work.ts';

export const ASSIGNMENT_TYPES = ['whole_loan_sale', 'participation', 'pledge', 'buyback'] as const;
export const ASSIGNMENT_STATUSES = [
  'pending',
  'active',
  'declined',
  'canceled',
  'bought_back',
  'ended',
] as const;
/** Why an assignment was declined at settlement: the loan's status at that time, or a law that forbids the sale. */
export const DECLINE_REASONS = [
  'paid_off',
  'settled',
  'charged_off',
  'reinstated',
  'transferred',
  'canceled',
  'nothing_owed',
  'not_allowed',
] as const;
type Status = (typeof ASSIGNMENT_STATUSES)[number];

/** The status changes that an edit may make. Close of business activates and declines assignments. */
const EDITS: Partial<Record<Status, readonly Status[]>> = {
  pending: ['canceled'],
  active: ['ended', 'bought_back'],
};

type Input = Values & {
  ownership_percentage?: string | undefined;
  effective_date?: string | undefined;
  settlement_date?: string | null | undefined;
  settlement_instrument_id?: string | null | undefined;
  status?: Status | undefined;
};
type NewAssignment = Input & { investor_id: string; loan_id: string; assignment_type?: string };

/** Pledges and buybacks of debts from identity theft are allowed (15 USC 1681m(f)(3)). */
const SALES: ReadonlySet<string> = new Set(['whole_loan_sale', 'participation']);

/**
 * Assigns a share of a loan to an investor. All shares together are at most 1. With a settlement date,
 * ownership changes at the close of that day, or at the next close if that day is over. Otherwise it
 * changes immediately or, for a future effective date, stays pending.
 */
export async function addAssignment(work: Work, input: NewAssignment): Promise<string> {
  const { loan_id, investor_id, effective_date = work.today, settlement_date } = input;
  await assertSettlementInstrument(work, investor_id, input.settlement_instrument_id);
  if (SALES.has(input.assignment_type ?? '')) await assertLegallyAllowed(work, loan_id, 'sale');
  const agreed_status = await checkShare(work, loan_id, input.ownership_percentage ?? '1', null);
  const isNow = !settlement_date && effective_date <= work.today;
  const status = isNow ? 'active' : 'pending';
  return insert(work.tx, 'loan_assignments', { ...input, effective_date, status, agreed_status });
}

/** Changes an assignment. Its terms can change only while it is pending; an active one can only end. */
export async function changeAssignment(work: Work, id: string, changes: Input, row: Row) {
  const from = row['status'] as Status;
  const { status = from } = changes;
  if (status !== from && !EDITS[from]?.includes(status)) {
    throw new Conflict(
      `An assignment that is ${from} cannot become ${status}.`,
      'invalid_transition',
      {
        current_status: from,
      },
    );
  }
  if (status !== from && row['is_booked']) throw saleBooked();
  const isTouched = Object.entries(changes).some(
    ([field, value]) => !['status', 'end_date'].includes(field) && !same(row[field], value),
  );
  if (isTouched && from !== 'pending') throw termsFinal(from);
  await assertSettlementInstrument(
    work,
    String(row['investor_id']),
    changes.settlement_instrument_id,
  );
  if (changes.ownership_percentage)
    await checkShare(work, String(row['loan_id']), changes.ownership_percentage, id);
  const end_date =
    status !== from && ['ended', 'bought_back'].includes(status)
      ? (changes['end_date'] ?? work.today)
      : changes['end_date'];
  await update(work.tx, 'loan_assignments', id, { ...changes, end_date });
}

/** "0.5" and "0.5000" are the same share. */
function same(old: unknown, value: unknown): boolean {
  const number = /^\d+(\.\d+)?$/;
  if (
    typeof old === 'string' &&
    typeof value === 'string' &&
    number.test(old) &&
    number.test(value)
  )
    return new Big(old).eq(value);
  return (old ?? null) === (value ?? null);
}

/** Locks the loan and returns its status. Throws `Conflict` if the shares would exceed 1. */
async function checkShare(work: Work, loanId: string, share: string, except: string | null) {
  const loan = await assignments.lockAssignedLoan(work.tx, loanId, except);
  if (loan === null) throw new Invalid({ loan_id: 'Does not exist.' });
  if (!['approved', 'active', 'charged_off'].includes(loan.status))
    throw new Conflict(`A loan that is ${loan.status} cannot be assigned.`, 'loan_not_active');
  if (new Big(loan.owned).plus(share).gt(1)) {
    throw overAssigned(loan.owned);
  }
  return loan.status;
}

export async function assertSettlementInstrument({ tx }: Work, investorId: string, id: unknown) {
  if (typeof id !== 'string' || (await investors.ownsInstrument(tx, investorId, id))) return;
  throw new Invalid({ settlement_instrument_id: 'Is not an active instrument of this investor.' });
}

export const overAssigned = (owned: string) =>
  new Conflict('The ownership shares of the loan would exceed 100 percent.', 'over_assigned', {
    owned,
  });

export const termsFinal = (from: string) =>
  new Conflict(`The terms of an assignment that is ${from} are final.`, 'immutable');

export const saleBooked = () =>
  new Conflict('The sale is booked. Use the buyback of its portfolio.', 'sale_booked');

import { Big } from 'big.js';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import type { AgreedModification } from '../../../sql/loans/workouts/modifications.ts';
import { setRecordStatus } from '../../../sql/loans/records.ts';
import { update } from '../../../sql/write.ts';
import { money, sum } from '../../money.ts';
import { emit } from '../../webhooks/emit.ts';
import type { Work } from '../../work.ts';
import { buildModificationEvents, modificationFees } from '../agreed/modification.ts';
import type { LoanEvent } from '../engine/events.ts';
import type { LoanState } from '../engine/state.ts';
import { assessFee } from '../fees/origination-fees.ts';
import { recordEvents } from '../history/record-events.ts';
import { newEvents } from '../history/new-event.ts';
import type { OpenLoan } from '../history/open-loan.ts';
import { termsAtRate, type LoanTerms } from '../products/loan-terms.ts';

/** The terms that `previous_terms` and `new_terms` compare. */
const termsIn = ({ row }: OpenLoan, state: LoanState) => {
  const rest = state.installments.filter(({ status }) => status !== 'paid');
  const next = rest.find(({ due_date }) => due_date >= state.as_of) ?? rest.at(-1);
  return {
    interest_rate: state.current_rate,
    payment_amount: next?.payment_amount ?? null,
    payment_day: row.payment_day,
    term_months: (row.original_term_months ?? row.term_months) + state.extension_months,
    remaining_payments: rest.length,
    maturity_date: state.maturity_date,
    principal_balance: state.principal_balance,
  };
};

/**
 * Applies an approved modification: changes the loan's terms, balances and schedule, and assesses the
 * product's modification fee.
 */
export async function applyModification(
  work: Work,
  loan: OpenLoan,
  modification: AgreedModification,
) {
  const { row } = loan;
  const previous_terms = termsIn(loan, loan.state);
  const changes = newEvents(buildModificationEvents(loan, modification));
  const fees = await assessFees(work, loan, modification);
  // First, because what a loan will owe includes the modifications that are not completed yet.
  await setRecordStatus(work.tx, 'modifications', modification.id, 'completed');
  const state = await recordEvents(work, loan, [...changes, ...fees]);
  const payment_day = modification.new_payment_day ?? row.payment_day;
  const new_terms = { ...termsIn(loan, state), payment_day };
  await update(work.tx, 'loans', row.id, { payment_day, ...currentAndOriginalRate(row, state) });
  await update(work.tx, 'modifications', modification.id, {
    previous_terms,
    new_terms,
    applied_at: new Date().toISOString(),
    event_ids: changes.map(({ id }) => id),
    capitalized_amount: capitalizedIn(
      state,
      changes.map(({ id }) => id),
    ),
  });
  await emit(work, 'modification.completed', {
    modification_id: modification.id,
    loan_id: row.id,
    modification_type: modification.modification_type,
    effective_date: modification.effective_date,
    old_terms: previous_terms,
    new_terms,
  });
}

/** The loan's row shows the current contract rate. Its events are folded from the original rate. */
export function currentAndOriginalRate(
  { terms, interest_rate }: RawLoan,
  { contract_rate }: LoanState,
) {
  const { original_rate = interest_rate } = terms as LoanTerms;
  return {
    interest_rate: contract_rate,
    terms: termsAtRate(terms, original_rate, contract_rate),
  };
}

/** Assesses the product's fees for a modification and returns their events. */
async function assessFees(work: Work, loan: OpenLoan, modification: AgreedModification) {
  const events: LoanEvent[] = [];
  for (const fee of modificationFees(loan, modification))
    events.push(await assessFee(work, loan.row, { ...fee, description: 'Modification fee' }));
  return events;
}

/** Capitalized amounts appear as negative allocations to principal. */
const capitalizedIn = ({ allocations }: LoanState, ids: readonly string[]) =>
  money(
    sum(
      allocations
        .filter(({ event_id, rule }) => ids.includes(event_id) && rule === 'capitalization')
        .filter(({ component }) => component === 'principal')
        .map(({ amount }) => new Big(amount).neg()),
    ),
  );

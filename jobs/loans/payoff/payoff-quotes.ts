import { loans } from '../../../sql/loans/loans.ts';
import * as records from '../../../sql/loans/records.ts';
import { find, type Row } from '../../../sql/table.ts';
import { insert, type Values } from '../../../sql/write.ts';
import { composeToAll } from '../../communications/compose-to-all.ts';
import { addDays, addMonths } from '../../dates.ts';
import { orderDocument } from '../../documents/order-document.ts';
import { Invalid } from '../../errors.ts';
import { money, parseMoney } from '../../money.ts';
import type { Work } from '../../work.ts';
import { loanOn, readAgreedSteps } from '../agreed/read-agreed-steps.ts';
import { payoff, type Payoff } from '../engine/projection/payoff-amounts.ts';
import type { OpenLoan } from '../history/open-loan.ts';
import {
  recordCanceler,
  recordChanger,
  immutableConflict,
  openInService,
} from '../history/loan-records.ts';
import { isExpectedByQuotes, supersedeActiveQuotes } from '../history/supersede-quotes.ts';
import { prepaymentPenalty } from '../products/prepayment-penalty.ts';
import { readTerms } from '../products/loan-terms.ts';

export const DELIVERY_METHODS = ['email', 'letter', 'portal', 'none'] as const;
export const QUOTE_STATUSES = ['active', 'expired', 'accepted', 'superseded', 'canceled'] as const;

type NewQuote = {
  loan_id: string;
  payoff_date?: string | null | undefined;
  good_through_date?: string | null | undefined;
  delivery_method: (typeof DELIVERY_METHODS)[number];
  include_prepayment_penalty: boolean;
  remittance_instructions?: string | null | undefined;
};

const MONTHS_AHEAD = 12;

/**
 * Quotes the payoff amount with an explanation of its interest, and orders the letter. Supersedes the
 * active quote.
 */
export async function quotePayoff(work: Work, input: NewQuote): Promise<string> {
  const loan = await openInService(work, input.loan_id);
  const { row } = loan;
  const { amounts, last, interest_rate } = await computeQuote(work, loan, input);
  const number = (await records.countRecords(work.tx, 'payoff_quotes', row.id)) + 1;
  const quote_number = `PQ-${row.loan_number}-${number}`;
  await supersedeActiveQuotes(work, row.id, 'newer_quote');
  const { delivery_method, include_prepayment_penalty, remittance_instructions } = input;
  const { agreed_changes } = amounts;
  const quoted = { ...last, agreed_changes, quote_number, remittance_instructions, interest_rate };
  const letterFor = (borrowerId: string) => orderLetter(work, loan, borrowerId, quoted);
  const document_id = await letterFor(row.borrower_id);
  const id = await insert(work.tx, 'payoff_quotes', {
    ...amounts,
    loan_id: row.id,
    quote_number,
    document_id,
    created_by: work.actor.id,
    delivery_method,
    include_prepayment_penalty,
    remittance_instructions,
  });
  if (delivery_method === 'email' || delivery_method === 'letter')
    await sendQuote(work, loan, delivery_method, { document_id, letterFor }, last);
  return id;
}

/**
 * The amounts of a quote, the figures of its last day (`last`), and the rate on that day. The amount is valid until the
 * last day, so the quote ends before an agreed change lowers the debt. Throws if the request names a later last day.
 */
async function computeQuote(work: Work, loan: OpenLoan, input: NewQuote) {
  const { row, schedule, events } = loan;
  const { payoff_date, good_through_date: latest } = datesOf(work, loan, input);
  const steps = latest > work.today ? await readAgreedSteps(work, loan) : [];
  const agreed = steps.filter(isExpectedByQuotes);
  const on = (day: string) => loanOn(loan, agreed, day);
  const prepayment_penalty = input.include_prepayment_penalty
    ? money(prepaymentPenalty(row, on(payoff_date).state))
    : '0.00';
  const history = { terms: readTerms(row), schedule, events, agreed };
  const quoteFor = (day: string) => payoff(history, { payoff_date: day, prepayment_penalty });
  const first = parseMoney(quoteFor(payoff_date).payoff_amount);
  let good_through_date = latest;
  let last = quoteFor(latest);
  while (parseMoney(last.payoff_amount).lt(first)) {
    if (input.good_through_date)
      throw new Invalid({
        good_through_date:
          'An agreed change lowers the debt before this day. Quote an earlier last day.',
      });
    good_through_date = addDays(good_through_date, -1);
    last = quoteFor(good_through_date);
  }
  const dates = { payoff_date, good_through_date, prepayment_penalty };
  const { unearned_interest: _, ...amounts } = payoff(history, dates);
  return { amounts, last, interest_rate: on(good_through_date).state.current_rate };
}

function datesOf(work: Work, { row }: OpenLoan, input: NewQuote) {
  const payoff_date = input.payoff_date ?? work.today;
  if (payoff_date < work.today)
    throw new Invalid({ payoff_date: 'Must not be before the business date.' });
  const days = readTerms(row).payoff_quote_valid_days;
  const good_through_date = input.good_through_date ?? addDays(payoff_date, days);
  if (good_through_date < payoff_date)
    throw new Invalid({ good_through_date: 'Must not be before the payoff date.' });
  if (good_through_date > addMonths(work.today, MONTHS_AHEAD)) {
    const field = input.good_through_date ? 'good_through_date' : 'payoff_date';
    throw new Invalid({ [field]: 'Must be within a year of the business date.' });
  }
  return { payoff_date, good_through_date };
}

/** The figures of the last day on which the quote is valid. */
type Quoted = Payoff & {
  quote_number: string;
  interest_rate: string;
} & Pick<NewQuote, 'remittance_instructions'>;

/** The letter states the amount valid through the last day, because borrowers act on it until then. */
async function orderLetter(work: Work, { row }: OpenLoan, borrower_id: string, quoted: Quoted) {
  const interest = parseMoney(quoted.payoff_amount)
    .plus(quoted.credits_amount)
    .minus(quoted.principal_amount)
    .minus(quoted.fees_amount)
    .minus(quoted.prepayment_penalty);
  return orderDocument(work, {
    template: 'payoff_letter',
    document_type: 'correspondence',
    filename: 'payoff-letter.pdf',
    borrower_id,
    loan_id: row.id,
    data: {
      quote_number: quoted.quote_number,
      per_diem: quoted.per_diem,
      good_through: quoted.good_through_date,
      payoff_amount: quoted.payoff_amount,
      principal: quoted.principal_amount,
      interest: money(interest),
      fees: quoted.fees_amount,
      prepayment_penalty: quoted.prepayment_penalty,
      remittance_instructions: quoted.remittance_instructions ?? null,
      credits: quoted.credits_amount,
      interest_rate: quoted.interest_rate,
      agreed_changes: quoted.agreed_changes.map(({ date, change }) => ({ date, [change]: true })),
      is_secured: (await find(work.tx, loans, row.id))?.['is_secured'] === true,
    },
  });
}

/** The message waits for the letter and attaches it. Every borrower of the loan receives one. */
async function sendQuote(
  work: Work,
  { row }: OpenLoan,
  channel: 'email' | 'letter',
  { document_id, letterFor }: { document_id: string; letterFor: (id: string) => Promise<string> },
  { payoff_amount, good_through_date, per_diem }: Payoff,
) {
  const message = {
    template_type: 'payoff_letter',
    channel,
    document_id,
    borrower_id: row.borrower_id,
    loan_id: row.id,
    context: {
      payoff: { amount: payoff_amount, good_through: good_through_date, per_diem },
    },
    triggered_by: 'user' as const,
  };
  await composeToAll(work, message, async (id) => ({ document_id: await letterFor(id) }));
}

const kind = { table: 'payoff_quotes', noun: 'payoff quote', cancelable: ['active'] } as const;
const change = recordChanger(kind);
const cancel = recordCanceler(kind);

export async function changeQuote(work: Work, id: string, changes: Values, row: Row) {
  if (changes['status'] === 'canceled') assertNotExpired(row);
  await change(work, id, changes, row);
}

export async function cancelQuote(work: Work, id: string, row: Row) {
  assertNotExpired(row);
  await cancel(work, id, row);
}

/**
 * A quote expires with the business date, without a change of its row. The raw status may still be
 * `active`.
 */
function assertNotExpired({ status }: Row) {
  if (status === 'expired') throw immutableConflict(kind.noun, status);
}

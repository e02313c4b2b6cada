import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

const UnsentOrder = z.object({
  payment_id: z.string().nullable(),
  disbursement_id: z.string().nullable(),
  draw_id: z.string().nullable(),
  loan_id: z.string(),
  borrower_id: z.string(),
  is_credit: z.boolean(),
  amount: z.string(),
  /** Whether the borrower authorized it in the portal, as a single payment or through autopay. */
  is_by_web: z.boolean(),
  is_retry: z.boolean(),
  individual_id: z.string(),
  individual_name: z.string(),
  is_blocked: z.boolean(),
  is_verified: z.boolean(),
  routing_number: z.string().nullable(),
  account_number_sealed: z.string().nullable(),
  account_type: z.string().nullable(),
  clearing_account_id: z.string().nullable(),
});
export type UnsentOrder = z.output<typeof UnsentOrder>;

/** The account as of the order, and whether its instrument may still be used. */
const account = sql.fragment`
  coalesce(ordered.individual_name, borrower.first_name || ' ' || borrower.last_name) as individual_name,
  borrower.id as borrower_id, instrument.status = 'blocked' as is_blocked, instrument.is_verified,
  ordered.routing_number, ordered.account_number_sealed, ordered.account_type
`;

/** The clearing account on which the event's entry holds the money; null if the entry booked cash. */
const clearingOf = (eventId: ReturnType<typeof sql.fragment>) => sql.fragment`
  (
    select line.account_id
    from journal_entries as entry join journal_lines as line on line.entry_id = entry.id
    where entry.reference_id = ${eventId} and entry.purpose = '' and line.role = 'ach_clearing'
    limit 1
  ) as clearing_account_id
`;

/**
 * Payments to collect and refunds to pay that are in no bank file yet. Locked until the file is ordered, so
 * that none is reversed in between.
 */
export const unsentPayments = (tx: Transaction) =>
  tx.any(sql.type(UnsentOrder)`
    select payment.id as payment_id, null::uuid as disbursement_id, null::uuid as draw_id,
           payment.loan_id, payment.payment_type = 'reimbursement' as is_credit, payment.amount,
           payment.source = 'portal' or coalesce(consent.source = 'portal', false) as is_by_web,
           coalesce(draw.attempts, 0) > 1 as is_retry, payment.receipt_number as individual_id,
           ${account}, ${clearingOf(sql.fragment`payment.id`)}
    from payments as payment
    join payment_instruments as instrument on instrument.id = payment.payment_instrument_id
    join borrowers as borrower on borrower.id = payment.borrower_id
    left join order_accounts as ordered on ordered.payment_id = payment.id
    left join autopay_draws as draw on draw.payment_id = payment.id
    left join autopay_plans as plan on plan.id = payment.autopay_plan_id
    left join borrower_consents as consent on consent.id = plan.consent_id
    where payment.send_by is not null and payment.status in ('completed', 'settled')
      and not exists (select from nacha_entries as entry where entry.payment_id = payment.id)
    order by payment.id for share of payment
  `);

/** Disbursements to a bank account that are in no bank file yet, locked in the same way. */
export const unsentDisbursements = (tx: Transaction) =>
  tx.any(sql.type(UnsentOrder)`
    select null::uuid as payment_id, disbursement.id as disbursement_id, null::uuid as draw_id,
           loan.id as loan_id, true as is_credit, disbursement.net_amount as amount, false as is_by_web,
           false as is_retry, loan.loan_number as individual_id, ${account},
           ${clearingOf(sql.fragment`(
             select event.id from loan_events as event
             where event.loan_id = loan.id and event.kind = 'disbursement'
               and event.details ->> 'disbursement_id' = disbursement.id::text
             limit 1
           )`)}
    from disbursements as disbursement
    join loans as loan on loan.id = disbursement.loan_id
    join payment_instruments as instrument on instrument.id = disbursement.payment_instrument_id
    left join order_accounts as ordered on ordered.disbursement_id = disbursement.id
    join borrowers as borrower on borrower.id = loan.borrower_id
    where disbursement.send_by is not null and disbursement.status in ('pending', 'completed')
      and disbursement.net_amount > 0
      and not exists (select from nacha_entries as entry where entry.disbursement_id = disbursement.id)
    order by disbursement.id for share of disbursement
  `);

/** Draws on a line of credit to a bank account that are in no bank file yet, locked in the same way. */
export const unsentDraws = (tx: Transaction) =>
  tx.any(sql.type(UnsentOrder)`
    select null::uuid as payment_id, null::uuid as disbursement_id, draw.id as draw_id,
           loan.id as loan_id, true as is_credit, draw.amount, false as is_by_web, false as is_retry,
           loan.loan_number as individual_id, ${account}, ${clearingOf(sql.fragment`draw.id`)}
    from draws as draw
    join loans as loan on loan.id = draw.loan_id
    join payment_instruments as instrument on instrument.id = draw.payment_instrument_id
    left join order_accounts as ordered on ordered.draw_id = draw.id
    join borrowers as borrower on borrower.id = loan.borrower_id
    where draw.send_by is not null and draw.status = 'completed'
      and not exists (select from nacha_entries as entry where entry.draw_id = draw.id)
    order by draw.id for share of draw
  `);

import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

/** A bank order: a payment, a disbursement or a draw. */
export type OrderKey = { payment_id: string } | { disbursement_id: string } | { draw_id: string };

/**
 * Copies an instrument's account for an order. An order that already has one keeps it, so a scheduled
 * payment is collected from the account it was scheduled with.
 */
export const saveAccount = (tx: Transaction, order: OrderKey, instrumentId: string) =>
  tx.query(sql.typeAlias('void')`
    insert into order_accounts (payment_id, disbursement_id, draw_id, payment_instrument_id,
      individual_name, bank_name, account_type, routing_number, account_number_sealed,
      account_number_last_four)
    select ${'payment_id' in order ? order.payment_id : null}::uuid,
           ${'disbursement_id' in order ? order.disbursement_id : null}::uuid,
           ${'draw_id' in order ? order.draw_id : null}::uuid, instrument.id,
           coalesce(nullif(instrument.account_holder_name, ''),
             borrower.first_name || ' ' || borrower.last_name),
           instrument.bank_name, instrument.account_type, instrument.routing_number,
           instrument.account_number_sealed, instrument.account_number_last_four
    from payment_instruments as instrument
    join borrowers as borrower on borrower.id = instrument.borrower_id
    where instrument.id = ${instrumentId}
    on conflict do nothing
  `);

const UnsentOrderIds = z.object({
  payment_ids: z.array(z.string()),
  disbursement_ids: z.array(z.string()),
  draw_ids: z.array(z.string()),
  scheduled_ids: z.array(z.string()),
});
export type UnsentOrderIds = z.output<typeof UnsentOrderIds>;

/** Orders with this instrument that are in force and not yet in a bank file. */
export const findUnsentOrders = (tx: Transaction, instrumentId: string): Promise<UnsentOrderIds> =>
  tx.one(sql.type(UnsentOrderIds)`
    with waiting as (
      select ordered.payment_id, ordered.disbursement_id, ordered.draw_id,
             payment.status = 'scheduled' as is_scheduled
      from order_accounts as ordered
      left join payments as payment
        on payment.id = ordered.payment_id and (payment.status = 'scheduled'
          or (payment.send_by is not null and payment.status in ('completed', 'settled')))
      left join disbursements as disbursement
        on disbursement.id = ordered.disbursement_id and disbursement.send_by is not null
          and disbursement.status in ('pending', 'completed')
      left join draws as draw
        on draw.id = ordered.draw_id and draw.send_by is not null and draw.status = 'completed'
      where ordered.payment_instrument_id = ${instrumentId}
        and num_nonnulls(payment.id, disbursement.id, draw.id) > 0
        and not exists (
          select from nacha_entries as entry
          where entry.payment_id = ordered.payment_id
            or entry.disbursement_id = ordered.disbursement_id or entry.draw_id = ordered.draw_id
        )
    )
    select coalesce(array_agg(payment_id::text order by payment_id)
             filter (where payment_id is not null and not is_scheduled), '{}') as payment_ids,
           coalesce(array_agg(disbursement_id::text order by disbursement_id)
             filter (where disbursement_id is not null), '{}') as disbursement_ids,
           coalesce(array_agg(draw_id::text order by draw_id)
             filter (where draw_id is not null), '{}') as draw_ids,
           coalesce(array_agg(payment_id::text order by payment_id)
             filter (where is_scheduled), '{}') as scheduled_ids
    from waiting
  `);

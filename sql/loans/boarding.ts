import { sql, type Transaction } from '../db.ts';

type Boarded = {
  status: string;
  disbursed_amount: string;
  origination_date: string;
  charge_off_date: string | null;
  charge_off_amount: string | null;
  last_payment_date: string | null;
  payment_history_profile: string | null;
};

/** The loan takes the status that it came with. */
export const board = (tx: Transaction, id: string, boarded: Boarded) =>
  tx.query(sql.typeAlias('void')`
    update loans
    set status = ${boarded.status}, disbursed_amount = ${boarded.disbursed_amount}::numeric,
        origination_date = ${boarded.origination_date},
        disbursement_date = case when ${boarded.status} in ('pending', 'approved') then null else ${boarded.origination_date}::date end,
        paid_off_at = case when ${boarded.status} = 'paid_off' then now() end,
        charged_off_at = ${boarded.charge_off_date}::timestamptz,
        charge_off_amount = ${boarded.charge_off_amount}::numeric,
        last_payment_date = ${boarded.last_payment_date}::date,
        payment_history_profile = ${boarded.payment_history_profile}
    where id = ${id}
  `);

/** What is told of a loan's past counts the time that it is in, which closes count no more. */
export const countDelinquencies = (
  tx: Transaction,
  id: string,
  daysPastDue: number,
  times: { 30: number; 60: number; 90: number },
) =>
  tx.query(sql.typeAlias('void')`
    update loans
    set times_delinquent_30 = greatest(${times[30]}, (${daysPastDue} >= 30)::integer),
        times_delinquent_60 = greatest(${times[60]}, (${daysPastDue} >= 60)::integer),
        times_delinquent_90 = greatest(${times[90]}, (${daysPastDue} >= 90)::integer),
        delinquency_counted = least(${daysPastDue} / 30 * 30, 90)
    where id = ${id}
  `);

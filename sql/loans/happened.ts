import { sql, unread, type Transaction } from '../database/db.ts';
import { assigning, type Values } from '../write.ts';
import { appending } from './events.ts';
import { covering, planning } from './installments.ts';
import { allocating, charging, crediting, selling } from './splits.ts';

type Happened = {
  events: Parameters<typeof appending>[1];
  /** A new version of the plan, where there is one; otherwise what is covered of the present one. */
  plan: { version: number; rows: Parameters<typeof planning>[2]; reason: string } | null;
  covered: { version: number; rows: Parameters<typeof covering>[2] };
  payments: Parameters<typeof allocating>[0];
  /** Service credits and applied suspense. */
  credits: Parameters<typeof crediting>[1];
  /** Sales of collateral. */
  sales: Parameters<typeof selling>[0];
  fees: Parameters<typeof charging>[1];
  /** What the loan's row keeps of its fold: the state at its last event (jobs/loans/engine/anchor.ts). */
  anchor: Values;
};

/** All that events changed of a loan, in one statement: only the parts that there are. */
export async function write(tx: Transaction, loanId: string, happened: Happened) {
  const { events, plan, covered, payments, credits, sales, fees, anchor } = happened;
  const parts = [
    events.length > 0 && appending(loanId, events),
    plan !== null && planning(loanId, plan.version, plan.rows, plan.reason),
    covered.rows.length > 0 && covering(loanId, covered.version, covered.rows),
    payments.length > 0 && allocating(payments),
    credits.length > 0 && crediting('service_credits', credits),
    credits.length > 0 && crediting('suspense_applications', credits),
    sales.length > 0 && selling(sales),
    fees.length > 0 && charging(loanId, fees),
  ].filter((part) => part !== false);
  const named = parts.map(
    (part, index) => sql.fragment`${sql.identifier([`part_${index}`])} as (${part})`,
  );
  const first =
    named.length === 0 ? sql.fragment`` : sql.fragment`with ${sql.join(named, sql.fragment`, `)}`;
  await tx.query(
    unread(sql.typeAlias('void')`
      ${first} update loans set ${assigning(anchor)} where id = ${loanId}
    `),
  );
}

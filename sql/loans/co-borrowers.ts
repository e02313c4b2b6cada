import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const CO_BORROWER_ROLES = ['co_borrower', 'co_signer', 'guarantor'] as const;
export const LIABLE_ROLES = ['borrower', ...CO_BORROWER_ROLES] as const;
export type LiableRole = (typeof LIABLE_ROLES)[number];

/** Whether the role received the money. Co-signers and guarantors only answer for the debt. */
export const isBorrowing = (role: LiableRole) => role === 'borrower' || role === 'co_borrower';

export const coBorrowers = table({
  name: 'co_borrowers',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.loan_id, record.borrower_id,
           person.first_name || ' ' || person.last_name as borrower_name, record.role,
           case when record.released_on is null then 'liable' else 'released' end as status,
           record.liable_from, record.released_on, record.release_reason, record.release_notes,
           record.released_by, record.created_at, record.updated_at
    from co_borrowers as record
    join borrowers as person on person.id = record.borrower_id
  `,
});

/**
 * The people who currently owe a loan and their roles: its borrower and all co-borrowers who are not
 * released.
 */
export const liableParties = sql.fragment`(
  select id as loan_id, borrower_id, 'borrower' as role from loans
  union all
  select loan_id, borrower_id, role from co_borrowers where released_on is null
)`;

/** The loans that the person currently owes, read once before anything else. */
export const loanIdsOwedBy = (borrowerId: string) => sql.fragment`array(
  select party.loan_id from ${liableParties} as party where party.borrower_id = ${borrowerId}
)`;

const As = z.object({ role: z.enum(LIABLE_ROLES) });

/** The role in which the person owes the loan; null if they do not. */
export const findLiableRole = (tx: Transaction, loanId: string, borrowerId: string) =>
  tx.maybeOneFirst(
    prepared(sql.type(As)`
      select party.role from ${liableParties} as party
      where party.loan_id = ${loanId} and party.borrower_id = ${borrowerId}
    `),
  );

export const isLiable = async (tx: Transaction, loanId: string, borrowerId: string) =>
  (await findLiableRole(tx, loanId, borrowerId)) !== null;

const Owed = z.object({ loan_id: z.string(), role: z.enum(LIABLE_ROLES) });

export const listLoansOwedBy = (tx: Transaction, borrowerId: string) =>
  tx.any(
    prepared(sql.type(Owed)`
      select loan_id, role from ${liableParties} as party where party.borrower_id = ${borrowerId}
    `),
  );

/**
 * Open loans that the person owes: applications, active loans, and charged-off loans with a balance left to
 * collect.
 */
export const findOpenLoansOwedBy = (tx: Transaction, borrowerId: string) =>
  tx.anyFirst(sql.type(z.object({ id: z.string() }))`
    select id from loans
    where id = any(${loanIdsOwedBy(borrowerId)})
      and (status in ('pending', 'approved', 'active')
        or (status = 'charged_off' and charge_off_balance > 0))
    order by id limit 100
  `);

const Owing = z.object({ borrower_id: z.string(), role: z.enum(LIABLE_ROLES) });

export const listLiableParties = (tx: Transaction, loanId: string) =>
  tx.any(
    prepared(sql.type(Owing)`
      select borrower_id, role from ${liableParties} as party
      where party.loan_id = ${loanId} order by borrower_id
    `),
  );

const Known = z.object({ id: z.string() });

/** The record by which the person owes the loan as a co-borrower. */
export const findActiveId = (tx: Transaction, loanId: string, borrowerId: string) =>
  tx.maybeOneFirst(sql.type(Known)`
    select id from co_borrowers
    where loan_id = ${loanId} and borrower_id = ${borrowerId} and released_on is null
  `);

const Payer = z.object({ borrower_id: z.string() });

/** The owner of the account, if they owe the loan and may therefore pay it. */
export const findLiableAccountOwner = (tx: Transaction, loanId: string, instrumentId: string) =>
  tx.maybeOneFirst(
    prepared(sql.type(Payer)`
      select instrument.borrower_id
      from payment_instruments as instrument
      join ${liableParties} as party
        on party.loan_id = ${loanId} and party.borrower_id = instrument.borrower_id
      where instrument.id = ${instrumentId}
    `),
  );

/** The person's open autopay plans and scheduled payments for the loan. */
export const listFutureOrders = async (tx: Transaction, loanId: string, borrowerId: string) => ({
  plans: await tx.anyFirst(sql.typeAlias('id')`
    select id from autopay_plans
    where loan_id = ${loanId} and borrower_id = ${borrowerId} and status in ('active', 'paused')
  `),
  payments: await tx.anyFirst(sql.typeAlias('id')`
    select id from payments
    where loan_id = ${loanId} and borrower_id = ${borrowerId} and status = 'scheduled'
    order by id
  `),
});

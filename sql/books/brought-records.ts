import { z } from 'zod';
import { isDrawable } from '../borrowers/payment-instruments.ts';
import { sql, type Transaction } from '../database/db.ts';
import { liableParties } from '../loans/co-borrowers.ts';

const Officer = z.object({ email: z.string(), id: z.string() });

/** The active users with these addresses who may service loans. */
export const findOfficers = async (
  tx: Transaction,
  emails: readonly string[],
): Promise<Map<string, string>> => {
  if (emails.length === 0) return new Map();
  const found = await tx.any(sql.type(Officer)`
    select email, id from users
    where email = any(${sql.array([...new Set(emails)], 'text')}) and is_active
      and tenant_role in ('loan_officer', 'admin', 'superadmin')
  `);
  return new Map(found.map(({ email, id }) => [email, id]));
};

type Completion = {
  id: string;
  labels: string[] | null;
  loan_officer_id: string | null;
  charge_off_reason: string | null;
};

/** Sets what a new loan brought along and no event of its history decides. */
export const completeLoans = (tx: Transaction, loans: readonly Completion[]) =>
  tx.query(sql.typeAlias('void')`
    update loans as loan
    set labels = coalesce(given.labels, loan.labels),
        loan_officer_id = coalesce(given.loan_officer_id, loan.loan_officer_id),
        charge_off_reason = coalesce(given.charge_off_reason, loan.charge_off_reason)
    from jsonb_to_recordset(${JSON.stringify(loans)}::jsonb) as given (
      id uuid, labels jsonb, loan_officer_id uuid, charge_off_reason text
    )
    where loan.id = given.id
  `);

const UsableAccount = z.object({ id: z.string(), borrower_id: z.string() });

/** Those of the accounts that a bank order can draw on, with their owners. */
export const findUsableAccounts = async (
  tx: Transaction,
  ids: readonly string[],
): Promise<Map<string, string>> => {
  const found = await tx.any(sql.type(UsableAccount)`
    select id, borrower_id from payment_instruments
    where id = any(${sql.array([...ids], 'uuid')}) and status = 'active' and not is_archived
      and instrument_type = 'bank_account' and routing_number is not null
      and account_number_sealed is not null
  `);
  return new Map(found.map(({ id, borrower_id }) => [id, borrower_id]));
};

export type Authorization = { plan_id: string; borrower_id: string; granted_at: string };

const Consented = z.object({ plan_id: z.string(), id: z.string(), is_revoked: z.boolean() });

/** The consents to autopay that these people gave at these times, one for each plan: if possible, one still in force. */
export const findAutopayConsents = async (
  tx: Transaction,
  authorized: readonly Authorization[],
) => {
  if (authorized.length === 0) return [];
  return tx.any(sql.type(Consented)`
    select distinct on (given.plan_id) given.plan_id, consent.id, consent.revoked_at is not null as is_revoked
    from jsonb_to_recordset(${JSON.stringify(authorized)}::jsonb)
      as given (plan_id uuid, borrower_id uuid, granted_at timestamptz)
    join borrower_consents as consent on consent.borrower_id = given.borrower_id
      and consent.consent_type = 'autopay' and consent.granted_at = given.granted_at
    order by given.plan_id, is_revoked, consent.id
  `);
};

const Account = z.object({
  loan_id: z.string(),
  id: z.string(),
  borrower_id: z.string(),
  can_draw: z.boolean(),
});
export type LiableAccount = z.output<typeof Account>;

/** Those of the accounts that belong to a person who owes one of the loans. */
export const listLiableAccounts = async (
  tx: Transaction,
  loanIds: readonly string[],
  ids: readonly string[],
): Promise<readonly LiableAccount[]> => {
  if (loanIds.length === 0 || ids.length === 0) return [];
  return tx.any(sql.type(Account)`
    select party.loan_id, account.id, account.borrower_id,
           ${isDrawable(sql.fragment`account`)} as can_draw
    from payment_instruments as account
    join ${liableParties} as party on party.borrower_id = account.borrower_id
    where account.id = any(${sql.array([...ids], 'uuid')})
      and party.loan_id = any(${sql.array([...loanIds], 'uuid')})
  `);
};

/** Those of the loans that a person with legal conditions owes as a co-borrower. */
export const loansOfPeopleWithConditions = async (
  tx: Transaction,
  loanIds: readonly string[],
): Promise<readonly string[]> => {
  if (loanIds.length === 0) return [];
  return tx.anyFirst(sql.type(z.object({ loan_id: z.string() }))`
    select distinct owing.loan_id from co_borrowers as owing
    join legal_conditions as condition on condition.borrower_id = owing.borrower_id
    where owing.loan_id = any(${sql.array([...loanIds], 'uuid')})
    order by 1
  `);
};

const ASSIGNABLE_KINDS = ['program', 'portfolio', 'investor'] as const;
export type AssignableKind = (typeof ASSIGNABLE_KINDS)[number];

const Assignable = z.object({
  kind: z.enum(ASSIGNABLE_KINDS),
  id: z.string(),
  names: z.array(z.string()),
});

/** The programs, static portfolios and investors that a loan can have, with the names by which a book knows them. */
export const listAssignable = (tx: Transaction) =>
  tx.any(sql.type(Assignable)`
    select 'program' as kind, id, array[code] as names from programs
    where is_active and not is_archived
    union all
    select 'portfolio', id, array[name] from portfolios
    where portfolio_type = 'static' and status <> 'sold' and not is_archived
    union all
    select 'investor', id, array_remove(array[external_id, name], null) from investors
    where is_active
  `);

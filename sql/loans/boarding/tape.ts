import { z } from 'zod';
import { sql, type Transaction } from '../../database/db.ts';

const Numbered = z.object({ id: z.string(), loan_number: z.string() });

export const findLoansByNumber = (tx: Transaction, numbers: readonly string[]) =>
  tx.any(sql.type(Numbered)`
    select id, loan_number from loans where loan_number = any(${sql.array([...numbers], 'text')})
  `);

const Offered = z.object({ id: z.string(), code: z.string(), program_id: z.string().nullable() });

/** The products for boarding, the tenant's oldest first. */
export const listBoardableProducts = (tx: Transaction) =>
  tx.any(sql.type(Offered)`
    select id, code, program_id from products
    where is_active and not is_archived order by created_at, id
  `);

/** The tenant's first program, for products without a program. */
export const firstProgram = (tx: Transaction) =>
  tx.maybeOneFirst(sql.typeAlias('id')`
    select id from programs where is_active and not is_archived order by created_at, id limit 1
  `);

export type NewBorrower = {
  external_id: string;
  first_name: string;
  last_name: string;
  state: string;
  street: string;
  city: string;
  postal_code: string;
  email: string | null;
};

const Known = z.object({ id: z.string(), external_id: z.string() });

/**
 * Adds borrowers whose external id is new, each with an address and, if the tape has one, an email. Returns
 * the ids of all borrowers. Existing borrowers are not changed.
 */
export async function addBorrowers(tx: Transaction, borrowers: readonly NewBorrower[]) {
  const given = sql.fragment`
    jsonb_to_recordset(${JSON.stringify(borrowers)}::jsonb) as given (
      external_id text, first_name text, last_name text, state text, street text, city text,
      postal_code text, email text
    )
  `;
  await tx.query(sql.typeAlias('void')`
    with added as (
      insert into borrowers (external_id, first_name, last_name)
      select external_id, first_name, last_name from ${given}
      on conflict (tenant_id, external_id) do nothing
      returning id, external_id
    ), housed as (
      insert into addresses (borrower_id, street_line_1, city, state, postal_code, is_primary)
      select added.id, given.street, given.city, given.state, given.postal_code, true
      from added join ${given} on given.external_id = added.external_id
    )
    insert into emails (borrower_id, email, is_primary)
    select added.id, given.email, true
    from added join ${given} on given.external_id = added.external_id
    where given.email is not null
  `);
  const ids = borrowers.map(({ external_id }) => external_id);
  return tx.any(sql.type(Known)`
    select id, external_id from borrowers where external_id = any(${sql.array(ids, 'text')})
  `);
}

export const auditBoarding = (tx: Transaction, ids: readonly string[], file: string) =>
  tx.query(sql.typeAlias('void')`
    insert into audit_log (entity_type, entity_id, borrower_id, loan_id, action, actor_type, changes, reason)
    select 'loans', id, borrower_id, id, 'board', 'system',
           jsonb_build_object(
             'loan_number', jsonb_build_object('old', null, 'new', loan_number),
             'status', jsonb_build_object('old', null, 'new', status),
             'principal_balance', jsonb_build_object('old', null, 'new', principal_balance::text)
           ), ${`Boarded from ${file}`}
    from loans where id = any(${sql.array([...ids], 'uuid')})
  `);

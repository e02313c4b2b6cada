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

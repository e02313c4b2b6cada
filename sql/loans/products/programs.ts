import { z } from 'zod';
import { prepared, sql, type Transaction } from '../../database/db.ts';
import { containsPattern, table } from '../../table.ts';

export const programs = table({
  name: 'programs',
  rows: sql.fragment`
    select record.id, record.name, record.code, record.description, record.program_type,
           record.is_active, case when record.is_active then 'active' else 'inactive' end as status,
           record.default_product_id, record.funding_source, record.credit_identification_number,
           record.jurisdictions,
           record.compliance_checks, record.template_overrides, record.metadata,
           record.is_archived, record.created_at, record.updated_at
    from programs as record
  `,
  search: (words) => sql.fragment`
    row.name ilike ${containsPattern(words)} or row.code ilike ${containsPattern(words)}
  `,
});

/** Whether the product may be the program's default: it belongs to this program or to none. */
export const productBelongsTo = (tx: Transaction, productId: string, programId: string) =>
  tx.exists(sql.typeAlias('void')`
    select from products
    where id = ${productId} and (program_id is null or program_id = ${programId})
  `);

const Usable = z.object({ is_usable: z.boolean() });

/** Whether the program exists and may be used for a new loan. */
export const isUsable = (tx: Transaction, id: string) =>
  tx.oneFirst(
    prepared(sql.type(Usable)`
      select exists (
        select from programs where id = ${id} and not is_archived and is_active
      ) as is_usable
    `),
  );

export const programType = (tx: Transaction, id: string) =>
  tx.maybeOneFirst(sql.type(z.object({ program_type: z.string() }))`
    select program_type from programs where id = ${id}
  `);

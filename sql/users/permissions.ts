import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { containsPattern, table, type Row } from '../table.ts';
import { users } from './users.ts';

/** Groups give their members rules in addition to their roles. */
export const groups = table({
  name: 'permission_groups',
  rows: sql.fragment`
    select record.id, record.name, record.description, record.permissions,
           (
             select coalesce(jsonb_agg(member.user_id order by member.user_id), '[]')
             from permission_group_members as member where member.group_id = record.id
           ) as member_ids,
           record.created_at, record.updated_at
    from permission_groups as record
  `,
  search: (words) => sql.fragment`row.name ilike ${containsPattern(words)}`,
});

export const userPermissions = table({
  name: 'user_permissions',
  rows: sql.fragment`
    select record.id, record.user_id, record.type, record.action, record.resource, record.record,
           record.created_at
    from user_permissions as record
  `,
});

export const objectGrants = table({
  name: 'object_grants',
  rows: sql.fragment`
    select record.id, record.user_id, record.action, record.resource, record.record_id,
           record.created_at
    from object_grants as record
  `,
});

/** One permission or denial, in addition to the role. */
export const Rule = z.object({
  type: z.enum(['allow', 'deny']),
  action: z.string(),
  resource: z.string(),
  record: z.record(z.string(), z.unknown()).nullable(),
  record_id: z.string().nullable(),
});
export type Rule = z.output<typeof Rule>;

/** All rules of the user: own, from groups and from grants. Empty if the tenant has no such user. */
export const listPermissionRules = (
  tx: Transaction,
  tenantId: string,
  userId: string,
): Promise<readonly Rule[]> =>
  tx.any(sql.prepared('user_rules', Rule)`
    select type, action, resource, record, record_id from app.user_rules(${tenantId}, ${userId})
  `);

export const findUserWithRules = (
  tx: Transaction,
  tenantId: string,
  userId: string,
): Promise<(Row & { rules: Rule[] }) | null> =>
  tx.maybeOne(
    prepared(sql.type(z.looseObject({ id: z.string(), rules: z.array(Rule) }))`
      select row.*, (
               select coalesce(jsonb_agg(to_jsonb(rule)), '[]')
               from app.user_rules(${tenantId}, row.id) as rule
             ) as rules
      from (${users.rows}) as row where row.id = ${userId}
    `),
  );

export async function setMembers(tx: Transaction, groupId: string, userIds: readonly string[]) {
  const ids = sql.array([...userIds], 'uuid');
  await tx.query(sql.typeAlias('void')`
    delete from permission_group_members where group_id = ${groupId} and user_id <> all(${ids})
  `);
  await tx.query(sql.typeAlias('void')`
    insert into permission_group_members (group_id, user_id)
    select ${groupId}, user_id from unnest(${ids}) as user_id
    on conflict do nothing
  `);
}

const Named = z.object({ id: z.string(), borrower_id: z.string().nullable() });

export const findExistingUsers = (tx: Transaction, userIds: readonly string[]) =>
  tx.any(sql.type(Named)`
    select id, borrower_id from users where id = any(${sql.array([...userIds], 'uuid')})
  `);

/** Whether any user of the tenant is denied a field, by an own rule or a group's. */
export const isFieldDenied = (tx: Transaction) =>
  tx.exists(sql.typeAlias('void')`
    select from user_permissions where type = 'deny' and record is not null
    union all
    select from permission_groups as grouped
    where exists (
      select from jsonb_array_elements(grouped.permissions) as rule
      where rule ->> 'type' = 'deny' and jsonb_typeof(rule -> 'record') = 'object'
    )
  `);

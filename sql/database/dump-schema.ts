import type { DatabasePool, FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { dictionary } from '../dictionary.ts';
import { sql } from './db.ts';

const Line = z.object({ owner: z.string(), name: z.string(), text: z.string() });
type Line = z.output<typeof Line>;

/** Our own tables and views. Partitions are made as their days come, and are left out. */
const relations = sql.fragment`
  select class.oid, class.relname as name, class.relkind as kind, class.relrowsecurity as secured,
         class.relforcerowsecurity as forced, class.reloptions as options, class.relacl as acl,
         class.relowner as owner_id,
         case when class.relnamespace = 'public'::regnamespace then '' else 'app.' end
           || class.relname as full_name
  from pg_class as class
  where class.relnamespace in ('public'::regnamespace, 'app'::regnamespace)
    and class.relkind in ('r', 'p', 'v') and not class.relispartition
    and not exists (
      select from pg_depend where classid = 'pg_class'::regclass and objid = class.oid and deptype = 'e'
    )
`;

/** Who may do what, apart from the owner; PUBLIC is written as such. */
const grants = (acl: SqlFragment, owner: SqlFragment) => sql.fragment`
  select coalesce(role.rolname, 'public') as grantee,
         string_agg(lower(privilege_type), ', ' order by privilege_type) as rights
  from aclexplode(${acl}) as acl left join pg_roles as role on role.oid = acl.grantee
  where acl.grantee <> ${owner}
  group by 1
`;

/** Each query answers lines: the object they belong to, a name to sort them by, and their text. */
const PARTS = dictionary<SqlFragment>({
  columns: sql.fragment`
    select relation.full_name as owner, lpad(attribute.attnum::text, 5, '0') as name,
           attribute.attname || ' ' || format_type(attribute.atttypid, attribute.atttypmod)
             || case when attribute.attnotnull then ' not null' else '' end
             || case
                  when fallback.adbin is null then ''
                  when attribute.attgenerated <> '' then
                    ' generated always as (' || pg_get_expr(fallback.adbin, fallback.adrelid) || ')'
                  else ' default ' || pg_get_expr(fallback.adbin, fallback.adrelid)
                end as text
    from (${relations}) as relation
    join pg_attribute as attribute on attribute.attrelid = relation.oid
    left join pg_attrdef as fallback
      on fallback.adrelid = relation.oid and fallback.adnum = attribute.attnum
    where relation.kind <> 'v' and attribute.attnum > 0 and not attribute.attisdropped
  `,
  constraints: sql.fragment`
    select relation.full_name as owner, conname as name,
           'constraint ' || conname || ' ' || pg_get_constraintdef(con.oid) as text
    from (${relations}) as relation
    join pg_constraint as con on con.conrelid = relation.oid
    where con.contype in ('p', 'u', 'f', 'c', 'x')
  `,
  indexes: sql.fragment`
    select relation.full_name as owner, class.relname as name, pg_get_indexdef(class.oid) as text
    from (${relations}) as relation
    join pg_index as index on index.indrelid = relation.oid
    join pg_class as class on class.oid = index.indexrelid
    where not exists (select from pg_constraint as con where con.conindid = class.oid
      and con.contype in ('p', 'u', 'x'))
  `,
  security: sql.fragment`
    select full_name as owner, '' as name, 'alter table ' || full_name
             || case when secured then ' enable' else ' disable' end || ' row level security'
             || case when forced then ', force row level security' else '' end as text
    from (${relations}) as relation where kind <> 'v'
  `,
  policies: sql.fragment`
    select relation.full_name as owner, polname as name,
           'create policy ' || polname || ' on ' || relation.full_name || ' for '
             || case polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update'
                  when 'd' then 'delete' else 'all' end
             || ' to ' || (
               select string_agg(coalesce(rolname, 'public'), ', ' order by rolname)
               from unnest(polroles) as member left join pg_roles on pg_roles.oid = member
             )
             || coalesce(' using ' || pg_get_expr(polqual, polrelid), '')
             || coalesce(' with check ' || pg_get_expr(polwithcheck, polrelid), '') as text
    from (${relations}) as relation join pg_policy on polrelid = relation.oid
  `,
  triggers: sql.fragment`
    select relation.full_name as owner, tgname as name, pg_get_triggerdef(pg_trigger.oid) as text
    from (${relations}) as relation join pg_trigger on tgrelid = relation.oid
    where not tgisinternal
  `,
  grants: sql.fragment`
    select relation.full_name as owner, granted.grantee as name,
           'grant ' || granted.rights || ' on ' || relation.full_name || ' to ' || granted.grantee
             as text
    from (${relations}) as relation
    cross join lateral (${grants(sql.fragment`relation.acl`, sql.fragment`relation.owner_id`)})
      as granted
    union all
    select relation.full_name, granted.grantee || ' ' || attribute.attname,
           'grant ' || granted.rights || ' (' || attribute.attname || ') on '
             || relation.full_name || ' to ' || granted.grantee
    from (${relations}) as relation
    join pg_attribute as attribute
      on attribute.attrelid = relation.oid and attribute.attacl is not null
    cross join lateral (${grants(sql.fragment`attribute.attacl`, sql.fragment`relation.owner_id`)})
      as granted
  `,
});

const OTHERS = dictionary<SqlFragment>({
  extensions: sql.fragment`
    select '' as owner, extname as name, 'create extension ' || extname as text
    from pg_extension where extname <> 'plpgsql'
  `,
  domains: sql.fragment`
    select '' as owner, typname as name,
           'create domain app.' || typname || ' as ' || format_type(typbasetype, typtypmod)
             || coalesce((
               select string_agg(' ' || pg_get_constraintdef(con.oid), '' order by conname)
               from pg_constraint as con where con.contypid = type.oid
             ), '') as text
    from pg_type as type where typtype = 'd' and typnamespace = 'app'::regnamespace
  `,
  functions: sql.fragment`
    select '' as owner, format('%s(%s)', proname, pg_get_function_identity_arguments(proc.oid)) as name,
           rtrim(pg_get_functiondef(proc.oid), E'\n') || coalesce((
             select string_agg(E';\ngrant execute on function ' || pronamespace::regnamespace || '.' || proname || ' to ' || grantee,
               '' order by grantee)
             from (${grants(sql.fragment`proc.proacl`, sql.fragment`proc.proowner`)}) as granted
           ), '') || case
             when proc.proacl is not null and not exists (
               select from aclexplode(proc.proacl) as acl where acl.grantee = 0
             ) then E';\nrevoke execute on function ' || pronamespace::regnamespace || '.' || proname || ' from public'
             else ''
           end as text
    from pg_proc as proc
    where pronamespace in ('app'::regnamespace, 'public'::regnamespace) and prokind in ('f', 'p')
      and not exists (
        select from pg_depend where classid = 'pg_proc'::regclass and objid = proc.oid and deptype = 'e'
      )
  `,
});

const Relation = z.object({
  full_name: z.string(),
  kind: z.string(),
  options: z.string(),
  partition_key: z.string(),
  definition: z.string(),
});

const shapes = sql.type(Relation)`
  select full_name, kind, coalesce(' with (' || array_to_string(options, ', ') || ')', '') as options,
         coalesce(' partition by ' || pg_get_partkeydef(oid), '') as partition_key,
         case kind when 'v' then pg_get_viewdef(oid) else '' end as definition
  from (${relations}) as relation
`;

/**
 * The schema as the catalogue has it: tables with their columns, keys, indexes, policies, triggers and
 * rights, views, functions. In a stable order, so that two databases of the same schema give the
 * same text, and a change of the schema reads as a change of a file.
 */
export async function dumpSchema(pool: DatabasePool): Promise<string> {
  return pool.connect(async (connection) => {
    const linesOf = async (part: SqlFragment) =>
      inOrder(await connection.any(sql.type(Line)`${part}`));
    const others: string[] = [];
    for (const part of Object.values(OTHERS)) {
      others.push(...(await linesOf(part)).map(({ text }) => `${text};\n`));
    }
    const parts: Record<string, Line[]> = {};
    for (const [name, part] of Object.entries(PARTS)) parts[name] = await linesOf(part);
    const tables = [...(await connection.any(shapes))]
      .toSorted((one, other) => compare(one.full_name, other.full_name))
      .map((relation) => relationText(relation, parts));
    return [
      '-- The schema as migrated. Written by UPDATE_SCHEMA=1 and the schema test, never by hand.\n',
      ...others,
      ...tables,
    ].join('\n');
  });
}

function relationText(relation: z.output<typeof Relation>, parts: Record<string, Line[]>) {
  const { full_name, kind, options, partition_key, definition } = relation;
  const textsOf = (part: string) =>
    (parts[part] ?? []).filter(({ owner }) => owner === full_name).map(({ text }) => text);
  const inside = [...textsOf('columns'), ...textsOf('constraints')]
    .map((text) => `  ${text}`)
    .join(',\n');
  const head =
    kind === 'v'
      ? `create view ${full_name}${options} as\n${definition.replace(/;$/, '')}`
      : `create table ${full_name} (\n${inside}\n)${partition_key}${options}`;
  const after = ['indexes', 'security', 'policies', 'triggers', 'grants'].flatMap(textsOf);
  return [head, ...after].map((text) => `${text};\n`).join('');
}

const inOrder = (lines: readonly Line[]) =>
  lines.toSorted((one, other) => compare(one.owner, other.owner) || compare(one.name, other.name));

/** By code unit, which no locale changes. */
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

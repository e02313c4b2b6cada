import { Pool } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { openPool } from '../sql/database/db.ts';
import { listTenantTables } from '../sql/moving/tables.ts';
import { TABLES } from '../sql/tables.ts';
import {
  SECRET_COLUMNS,
  TABLES_LEADING_TO_BORROWERS,
  UNDECLARED_COLUMNS,
} from './setup/borrower-catalogue.ts';
import { cloneDatabase } from './setup/database.ts';

const database = await cloneDatabase();
const owner = await openPool(database.url, { role: 'servicing_owner', size: 1 });
const superuser = new Pool({ connectionString: database.url, max: 1 });
afterAll(async () => {
  await Promise.all([owner.end(), superuser.end()]);
  await database.drop();
});

const TABLES_OF_SCHEMA = `
  (select class.oid, class.relname as name,
          class.relrowsecurity and class.relforcerowsecurity as secured
   from pg_class as class
   where class.relnamespace = 'public'::regnamespace and class.relkind in ('r', 'p')
     and not class.relispartition and class.relname <> 'schema_migrations') as tables`;
const TENANT = `(select attrelid, attnum, attnotnull from pg_attribute where attname = 'tenant_id')`;

/**
 * Each rule with the query that finds violations, what to do about one, and a violation in a deliberately
 * careless schema.
 */
const RULES = [
  {
    rule: 'every table names its tenant',
    remedy: 'add: tenant_id uuid not null default app.current_tenant() references tenants (id)',
    breaks: 'careless_tables',
    query: `
      select name from ${TABLES_OF_SCHEMA} left join ${TENANT} as tenant on tenant.attrelid = tables.oid
      where not coalesce(tenant.attnotnull, name = 'tenants')`,
  },
  {
    rule: 'every table forces row-level security, and its policy is keyed by the tenant',
    remedy: "add after the table: call app.protect('TABLE')",
    breaks: 'careless_tables',
    query: `
      select name from ${TABLES_OF_SCHEMA}
      where not secured or not exists (
        select from pg_policy
        where polrelid = tables.oid and polroles = array['servicing_app'::regrole::oid]
          and pg_get_expr(polqual, polrelid) like '%app.current_tenant()%'
          and pg_get_expr(polwithcheck, polrelid) like '%app.current_tenant()%'
      )`,
  },
  {
    rule: 'the application sees rows through the policy of the tenant only',
    remedy: 'drop the policy; app.protect makes the right one',
    breaks: 'careless_tables: everybody',
    query: `
      select name || ': ' || polname as name from ${TABLES_OF_SCHEMA} join pg_policy on polrelid = tables.oid
      where (0 = any(polroles) or 'servicing_app'::regrole = any(polroles)) and polname <> 'tenant'`,
  },
  {
    rule: 'a key from one tenant’s table to another includes the tenant',
    remedy: 'write foreign key (tenant_id, other_id) references others (tenant_id, id)',
    breaks: 'careless_rows: careless_rows_loan_id_fkey',
    query: `
      select name || ': ' || conname as name from ${TABLES_OF_SCHEMA}
      join pg_constraint as key on key.conrelid = tables.oid and key.contype = 'f'
      join ${TENANT} as own on own.attrelid = key.conrelid
      left join ${TENANT} as other on other.attrelid = key.confrelid
      where key.confrelid <> 'tenants'::regclass
        and (own.attnum <> key.conkey[1] or other.attnum is distinct from key.confkey[1])`,
  },
  {
    rule: 'the tenant of every row is there: by a key of its own, or by that of a record which the row must name',
    remedy: 'let tenant_id reference tenants (id), or add a required foreign key (tenant_id, …)',
    breaks: 'careless_tables',
    query: `
      select name from ${TABLES_OF_SCHEMA}
      -- All but the first are written of rows that the same statement has read or written.
      where name not in ('tenants', 'installments', 'interest_accruals', 'loan_snapshots', 'loan_attribute_history', 'row_counts') and not exists (
        select from pg_constraint as key
        where key.conrelid = tables.oid and key.contype = 'f' and key.convalidated
          and not exists (
            select from pg_attribute where attrelid = tables.oid and attnum = any(key.conkey) and not attnotnull))`,
  },
  {
    rule: 'the tenant comes first in every unique key',
    remedy: 'write primary key (tenant_id, id), unique (tenant_id, …)',
    breaks: 'careless_rows: careless_rows_pkey',
    query: `
      select name || ': ' || indexrelid::regclass as name from ${TABLES_OF_SCHEMA}
      join pg_index as index on index.indrelid = tables.oid and index.indisunique
      left join ${TENANT} as tenant on tenant.attrelid = tables.oid
      where tables.name not in ('tenants', 'tenant_domains')
        and index.indkey[0] is distinct from tenant.attnum`,
  },
  {
    rule: 'every table has a primary key, in whose order its rows are carried to another database',
    remedy: 'add: primary key (tenant_id, id)',
    breaks: 'careless_numbers',
    query: `
      select name from ${TABLES_OF_SCHEMA}
      where not exists (select from pg_index where indrelid = tables.oid and indisprimary)`,
  },
  {
    rule: 'no record has a number of one database’s own, which another has given out as well',
    remedy: 'use id uuid not null default uuidv7()',
    breaks: 'careless_numbers.number',
    query: `
      select tables.name || '.' || attname as name from ${TABLES_OF_SCHEMA}
      join pg_attribute as attribute on attrelid = tables.oid and attnum > 0
      left join pg_attrdef as fallback on fallback.adrelid = tables.oid and fallback.adnum = attnum
      where attidentity <> '' or pg_get_expr(adbin, adrelid) like 'nextval(%'`,
  },
  {
    rule: 'what excludes rows compares those of one tenant only',
    remedy: 'start the exclusion with tenant_id with =',
    breaks: 'careless_rows: careless_rows_excluded',
    query: `
      select name || ': ' || conname as name from ${TABLES_OF_SCHEMA}
      join pg_constraint as con on con.conrelid = tables.oid and con.contype = 'x'
      left join ${TENANT} as tenant on tenant.attrelid = tables.oid
      where con.conkey[1] is distinct from tenant.attnum`,
  },
  {
    rule: 'functions that run as their owner pin their search path',
    remedy: 'add: set search_path = public, pg_temp',
    breaks: 'careless_function',
    query: `
      select proname as name from pg_proc
      where pronamespace in ('app'::regnamespace, 'public'::regnamespace) and prosecdef
        and not coalesce('search_path=public, pg_temp' = any(proconfig), false)`,
  },
  {
    rule: 'functions that run as their owner are granted by name, but for those that tell or take nothing of others',
    remedy: 'add: revoke execute on function … from public',
    breaks: 'careless_function',
    query: `
      select proname as name from pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner))) as acl
      where pronamespace in ('app'::regnamespace, 'public'::regnamespace) and prosecdef
        and acl.grantee = 0 and prorettype <> 'trigger'::regtype
        and proname not in ('active_tenants', 'tenant_of_host', 'open_session', 'user_rules', 'queue_depth',
          'add_job', 'add_jobs', 'ensure_accrual_month')`,
  },
  {
    rule: 'views look with the rights of who asks',
    remedy: 'add: with (security_invoker = true)',
    breaks: 'careless_view',
    query: `
      select relname as name from pg_class
      where relnamespace in ('app'::regnamespace, 'public'::regnamespace) and relkind in ('v', 'm')
        and not coalesce('security_invoker=true' = any(reloptions), false)`,
  },
  {
    rule: 'neither the application nor a worker nor the auditor is above the policies',
    remedy: 'take the right away from the role',
    breaks: 'servicing_auditor',
    query: `
      select rolname as name from pg_roles
      where rolname in ('servicing_app', 'servicing_worker', 'servicing_auditor')
        and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication
          or pg_has_role(rolname, 'servicing_owner', 'member'))`,
  },
  {
    rule: 'the auditor reads, and the application empties no table',
    remedy: 'revoke the right',
    breaks: 'servicing_app truncate careless_tables',
    query: `
      select distinct grantee || ' ' || lower(privilege_type) || ' ' || table_name as name
      from information_schema.table_privileges
      where grantee = 'servicing_auditor' and privilege_type <> 'SELECT'
        or grantee = 'servicing_app' and privilege_type in ('TRUNCATE', 'TRIGGER', 'REFERENCES')`,
  },
  {
    rule: 'amounts refuse what is not a number',
    remedy: 'use the type app.money',
    breaks: 'careless_rows.fee_amount',
    query: `
      select tables.name || '.' || attname as name from ${TABLES_OF_SCHEMA}
      join pg_attribute on attrelid = tables.oid
      where atttypid = 'numeric'::regtype and attname ~ '(amount|balance|price|debit|credit)$'`,
  },
  {
    rule: 'every table that leads to a borrower declares the data that it holds',
    remedy: `add after app.protect: call app.declare_borrower_data('TABLE', 'folder of an export', redacted => '{columns with words about a person}') (sql/schema/borrower-data.sql). If it belongs to no single borrower, add it to SHARED_TABLES (test/setup/borrower-catalogue.ts) with a reason`,
    breaks: 'careless_rows',
    query: TABLES_LEADING_TO_BORROWERS,
  },
  {
    rule: 'every column that may hold words of a borrower is redacted, or kept for a reason',
    remedy:
      'name it in redacted, emptied, secret or kept of app.declare_borrower_data (sql/schema/borrower-data.sql)',
    breaks: 'notes.careless',
    query: UNDECLARED_COLUMNS,
  },
  {
    rule: 'no export contains anything sealed, hashed or secret',
    remedy: 'name it in secret of app.declare_borrower_data (sql/schema/borrower-data.sql)',
    breaks: 'notes.careless_token',
    query: SECRET_COLUMNS,
  },
];

const found = async (query: string) =>
  (await superuser.query<{ name: string }>(query)).rows.map(({ name }) => name);

const byName = (one: string, other: string) => (one < other ? -1 : 1);

test('the tables that code may name are exactly those of the schema', async () => {
  const names = await found(`select name from ${TABLES_OF_SCHEMA}`);
  const isListed = new Set<string>(TABLES);

  expect(
    names
      .filter((name) => !isListed.has(name))
      .map((name) => `${name} is in the schema only. Add it to sql/tables.ts.`),
  ).toEqual([]);
  expect(
    TABLES.filter((name) => !names.includes(name)).map(
      (name) =>
        `${name} is not in the schema. Add it to sql/schema/, or remove it from sql/tables.ts.`,
    ),
  ).toEqual([]);
});

test('a move copies every tenant table except counts, which are rebuilt', async () => {
  const carried = await owner.connect((connection) => listTenantTables(connection));

  expect(carried.map(({ name }) => name).toSorted(byName)).toEqual(
    TABLES.filter((name) => name !== 'row_counts').toSorted(byName),
  );
});

/** The sentence about this table. */
const remedyFor = (violation: string, remedy: string) =>
  remedy.replaceAll('TABLE', violation.split(/[:.]/)[0] ?? '');

test.each(RULES)('$rule', async ({ query, remedy }) => {
  const violations = (await found(query)).map((name) => `${name}: ${remedyFor(name, remedy)}.`);

  expect(violations).toEqual([]);
});

test('each schema rule finds its violation in a faulty schema', async () => {
  await superuser.query(`
    begin;
    create table careless_tables (id uuid primary key);
    create policy everybody on careless_tables using (true);
    grant truncate on careless_tables to servicing_app;
    create table careless_rows (
      tenant_id uuid not null, id uuid primary key, borrower_id uuid, loan_id uuid references careless_tables (id),
      fee_amount numeric(15, 2),
      constraint careless_rows_excluded exclude (id with =)
    );
    alter table notes add column careless text, add column careless_token text;
    create table careless_numbers (number bigint generated always as identity);
    create function app.careless_function() returns integer
      language sql security definer as 'select 1';
    create view careless_view as select 1 as one;
    alter role servicing_auditor bypassrls`);

  const all = await Promise.all(RULES.map(async ({ query }) => found(query)));
  await superuser.query('rollback');

  RULES.forEach(({ breaks }, index) => expect(all[index]).toContain(breaks));
});

-- For a table that was never analyzed, Postgres assumes that a tenant owns one row in 200. Any index that begins with
-- the tenant then looks as good as the primary key, and each lookup of one row reads all rows of the tenant: boarding n
-- loans takes n² work. Until the first analyze, tell the planner that all rows belong to one tenant.
do $$
declare one name;
begin
  for one in
    select class.relname from pg_class as class
    join pg_attribute as tenant on tenant.attrelid = class.oid and tenant.attname = 'tenant_id'
    where class.relnamespace = 'public'::regnamespace and class.relkind = 'r'
  loop
    perform pg_restore_attribute_stats(
      'schemaname', 'public', 'relname', one::text, 'attname', 'tenant_id', 'inherited', false,
      'null_frac', 0::real, 'avg_width', 16, 'n_distinct', 1::real
    );
  end loop;
end $$;

-- Of a table that was never analysed the planner believes that a tenant has a two-hundredth of it, so
-- that any index that begins with the tenant looks as good as the primary key; and then each lookup of
-- one row, and each check of a reference, reads all the rows of the tenant: a tape of n loans took n²
-- work. Where nothing is known yet, it is told that all rows are one tenant's.
do $$
declare one name;
begin
  for one in
    select class.relname from pg_class as class
    join pg_attribute as tenant on tenant.attrelid = class.oid and tenant.attname = 'tenant_id'
    where class.relnamespace = 'public'::regnamespace and class.relkind = 'r'
      and not exists (
        select from pg_stats
        where schemaname = 'public' and tablename = class.relname and attname = 'tenant_id'
      )
  loop
    perform pg_restore_attribute_stats(
      'schemaname', 'public', 'relname', one::text, 'attname', 'tenant_id', 'inherited', false,
      'null_frac', 0::real, 'avg_width', 16, 'n_distinct', 1::real
    );
  end loop;
end $$;

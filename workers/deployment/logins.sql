-- The logins of the database, made once by a superuser in the database `servicing`. With psql:
--   psql -v migrator=… -v api=… -v worker=… -v auditor=… -v scaler=… -f logins.sql
-- Each value is that login's password. Four roles without a login say what each may do; a process that runs with
-- more than it needs refuses to start.
create role servicing_owner;
create role servicing_app;
create role servicing_worker;
create role servicing_auditor;
create role migrator login password :'migrator' in role servicing_owner;               -- npm run migrate, ops tenant, ops recount
create role api login password :'api' in role servicing_app;                           -- npm run api, board
create role worker login password :'worker' in role servicing_app, servicing_worker;   -- npm run worker, ops
create role auditor login password :'auditor' in role servicing_auditor;               -- npm run invariants
create role scaler login password :'scaler';                                           -- KEDA: counts jobs, reads nothing else
select format('alter database %I owner to migrator', current_database()) \gexec

-- Creates the database logins. Run it once as a superuser in the database `servicing`:
--   psql -v migrator=… -v api=… -v worker=… -v auditor=… -v scaler=… -f logins.sql
-- Each value is that login's password. The four roles without a login define the rights. A process refuses to start
-- with more rights than it needs.
create role servicing_owner;
create role servicing_app;
create role servicing_worker;
create role servicing_auditor;
create role migrator login password :'migrator' in role servicing_owner;               -- npm run migrate, ops tenant, ops recount
create role api login password :'api' in role servicing_app;                           -- npm run api, board
create role worker login password :'worker' in role servicing_app, servicing_worker;   -- npm run worker, ops
create role auditor login password :'auditor' in role servicing_auditor;               -- npm run invariants
create role scaler login password :'scaler';                                           -- KEDA: counts jobs and can read nothing else
select format('alter database %I owner to migrator', current_database()) \gexec

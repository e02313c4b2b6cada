-- A quote whose last day was over when another event came stays expired.
alter table payoff_quotes drop constraint payoff_quotes_status_check;
alter table payoff_quotes add constraint payoff_quotes_status_check
  check (status in ('active', 'expired', 'accepted', 'superseded', 'canceled'));

-- What a message says beside its text: from whom, to whom, of which day. A message of a batch also keeps
-- the template and the values that it is written from.
alter table communication_logs add column figures jsonb;

-- Whatever waits to be printed or sent keeps what it would have said now.
create temporary table letters on commit drop as
select borrower.tenant_id, borrower.id as borrower_id, borrower.language_preference as language,
       jsonb_build_object(
         'first_name', borrower.first_name, 'last_name', borrower.last_name,
         'email', email.email, 'phone', null
       ) as contact,
       jsonb_build_object(
         'locale', tenant.locale, 'currency', tenant.currency, 'time_zone', tenant.time_zone,
         'letter_date', tenant.business_date, 'loan_number', '',
         'tenant', jsonb_build_object(
           'name', tenant.name, 'slug', tenant.slug, 'branding', own.branding,
           'address_lines', jsonb_path_query_array(
             own.branding, '$.keyvalue() ? (@.key starts with "address_line" && @.value != "").value'
           ),
           'portal_url', (
             select 'https://' || min(domain) from tenant_domains where tenant_id = tenant.id
           )
         ),
         'recipient', jsonb_build_object(
           'name', borrower.first_name || ' ' || borrower.last_name,
           'address_lines', coalesce(address.lines, '[]')
         )
       ) as letter
from borrowers as borrower
join tenants as tenant on tenant.id = borrower.tenant_id
cross join lateral (
  select jsonb_build_object('support_email', '', 'support_phone', '')
           || coalesce(tenant.settings -> 'branding', '{}') as branding
) as own
left join emails as email
  on email.tenant_id = borrower.tenant_id and email.borrower_id = borrower.id and email.is_primary
    and not email.is_archived
left join lateral (
  select jsonb_path_query_array(
           jsonb_build_array(
             street_line_1, nullif(street_line_2, ''),
             concat_ws(' ', city || case when state <> '' then ',' else '' end, state, postal_code),
             nullif(country, 'US')
           ),
           '$[*] ? (@ != null)'
         ) as lines
  from addresses
  where tenant_id = borrower.tenant_id and borrower_id = borrower.id and not is_archived
    and address_type <> 'previous'
  order by address_type <> 'mailing', is_primary desc, created_at limit 1
) as address on true
where exists (
    select from communication_logs as log
    where log.tenant_id = borrower.tenant_id and log.borrower_id = borrower.id
      and log.status in ('queued', 'failed') and log.direction = 'outbound'
  )
  or exists (
    select from documents as document
    where document.tenant_id = borrower.tenant_id and document.borrower_id = borrower.id
      and document.status in ('pending', 'failed') and document.source = 'generated'
  )
  or exists (
    select from loans as loan
    join statements as statement
      on statement.tenant_id = loan.tenant_id and statement.loan_id = loan.id
        and statement.document_id is null
    where loan.tenant_id = borrower.tenant_id and loan.borrower_id = borrower.id
  );

update documents as document
set template_data = letters.letter || jsonb_build_object('loan_number', loan.loan_number)
  || document.template_data
from letters, loans as loan
where letters.tenant_id = document.tenant_id and letters.borrower_id = document.borrower_id
  and loan.tenant_id = document.tenant_id and loan.id = document.loan_id
  and document.status in ('pending', 'failed') and document.source = 'generated'
  and document.template_data is not null;

update statements as statement
set figures = statement.figures || jsonb_build_object(
  'letter', letters.letter || jsonb_build_object(
    'loan_number', loan.loan_number, 'letter_date', statement.statement_date
  ),
  'language', letters.language, 'borrower', letters.contact,
  'loan_then', jsonb_build_object('loan_number', loan.loan_number)
)
from loans as loan, letters
where loan.tenant_id = statement.tenant_id and loan.id = statement.loan_id
  and letters.tenant_id = loan.tenant_id and letters.borrower_id = loan.borrower_id
  and not exists (
    select from documents as document
    where document.tenant_id = statement.tenant_id and document.id = statement.document_id
      and document.status not in ('pending', 'failed')
  );

update communication_logs as log
set figures = jsonb_build_object(
  'letter', letters.letter || coalesce((
    select jsonb_build_object('loan_number', loan.loan_number) from loans as loan
    where loan.tenant_id = log.tenant_id and loan.id = log.loan_id
  ), '{}'),
  'language', letters.language, 'borrower', letters.contact, 'loan', null
)
from letters
where letters.tenant_id = log.tenant_id and letters.borrower_id = log.borrower_id
  and log.status in ('queued', 'failed') and log.direction = 'outbound' and log.body is not null;

-- A message of a batch that was not written yet has nothing to be written from: it is sent anew.
update communication_logs
set status = 'failed', failed_at = now(), error_code = 'template',
    error_message = 'It was queued before its figures were kept with it. Send it again.'
where status = 'queued' and direction = 'outbound' and body is null and batch_id is not null;

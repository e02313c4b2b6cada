-- What was agreed is kept instead of the rows that it came to. What is there already was agreed row by
-- row; the meaning of no event changes.
alter table loan_events disable trigger append_only;
update loan_events
set kind = 'plan_agreed',
    details = jsonb_strip_nulls(jsonb_build_object(
      'agreement', jsonb_build_object('rule', 'written', 'rows', details -> 'schedule'),
      'disbursement_id', details -> 'disbursement_id',
      'defers', details -> 'defers'
    ))
where kind = 'schedule_replaced';
alter table loan_events enable trigger append_only;

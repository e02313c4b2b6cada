-- What is drawn on a line may bear no interest as long as its statements are paid in full when they are due.
alter table products add column grace_on_purchases boolean not null default false;
alter table loans add column interest_free_balance app.money not null default 0
  check (interest_free_balance between 0 and principal_balance);
alter table loan_snapshots add column interest_free_balance app.money not null default 0;

-- Days that were kept before do not know why a loan was frozen.
alter table loan_snapshots add column is_in_disaster boolean;

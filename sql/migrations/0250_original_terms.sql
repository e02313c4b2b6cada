-- The term that a loan began with, where an agreement has made its term another one; otherwise null.
alter table loans add column original_term_months integer check (original_term_months > 0);

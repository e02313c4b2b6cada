-- Whoever wrote without the triggers had ended when they were made. Nobody waits for this: the rows that are
-- written meanwhile are counted with themselves.
select app.count_anew('borrowers');
select app.count_anew('loans');

-- The months that a loan was agreed for, as its day ended: portfolios sum them up, and looked for them among the
-- particulars of all loans, which took half of the time. Days that were kept before have them there alone, and so
-- do days that processes of the release before still keep.
alter table loan_snapshots add column term integer;

-- What borrowers read as the name of a product, where it is another than the lender's own.
alter table products add column public_name text;

-- A request's id is its caller's own where it has one that holds no personal number.
update app.borrower_columns set kept_because = 'made for each request, and no personal number'
where table_name = 'events' and column_name = 'request_id';

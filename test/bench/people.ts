import pg from 'pg';

/** First names as often as any other; last names of three syllables, of which there are many. */
const FIRST =
  'Mary James Patricia Robert Jennifer John Linda Michael Elizabeth David Barbara William Susan ' +
  'Richard Jessica Joseph Karen Thomas Sarah Charles Ada Grace Nora Hugo Inés Zoë Wei Li Aiko Olu';
const SYLLABLES =
  'ba be bi bo da de di do ga ha ka ke la le li lo ma me mi mo na ne ni no pa ra re ri ro sa se si ' +
  'so ta te ti to va vi wa wi ya za son berg ton ley man ford well';

/** A tenant with so many borrowers, each with a name and an email address. */
export async function populate(url: string, rows: number): Promise<string> {
  const owner = new pg.Client(url);
  await owner.connect();
  const made = await owner.query<{ id: string }>(
    "select app.create_tenant('bench', 'Bench', '2026-01-15', '{bench.test}') as id",
  );
  const id = made.rows[0]?.id ?? '';
  await owner.query(
    `insert into borrowers (tenant_id, first_name, last_name, date_of_birth, created_at)
     select $1, first[1 + n % 1009 % 30],
            initcap(part[1 + n % 50] || part[1 + n / 50 % 50] || part[1 + n / 2500 % 50]),
            '1980-01-01', now() - n * interval '1 minute'
     from generate_series(1, $2::integer) as n
     cross join (select string_to_array($3, ' ') as first, string_to_array($4, ' ') as part) as names`,
    [id, rows, FIRST, SYLLABLES],
  );
  await owner.query(
    `insert into emails (tenant_id, borrower_id, email, is_primary)
     select tenant_id, id,
            lower(last_name) || '.' || row_number() over (order by id) || '@example.com', true
     from borrowers where tenant_id = $1`,
    [id],
  );
  await owner.query('vacuum analyze borrowers, emails');
  await owner.end();
  return id;
}

/** How a search is done for the tenant, as the database tells. */
export async function planOf(url: string, tenantId: string, words: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('begin read only');
  await client.query('set local role servicing_app');
  await client.query("select set_config('app.tenant_id', $1, true)", [tenantId]);
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(
    `explain (analyze, timing off, buffers off)
     select id from borrowers as row
     where not is_archived and row.id in (select app.borrowers_found($1))
     order by created_at desc, id desc limit 25`,
    [`%${words}%`],
  );
  await client.end();
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

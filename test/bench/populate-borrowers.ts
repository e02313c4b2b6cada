import type { BenchWorld } from './world.ts';

/** First names are equally frequent. Last names have three syllables, so there are many. */
const FIRST =
  'Mary James Patricia Robert Jennifer John Linda Michael Elizabeth David Barbara William Susan ' +
  'Richard Jessica Joseph Karen Thomas Sarah Charles Ada Grace Nora Hugo Inés Zoë Wei Li Aiko Olu';
const SYLLABLES =
  'ba be bi bo da de di do ga ha ka ke la le li lo ma me mi mo na ne ni no pa ra re ri ro sa se si ' +
  'so ta te ti to va vi wa wi ya za son berg ton ley man ford well';

/** Inserts `rows` borrowers of the tenant, each with a name and an email address. */
export async function populateBorrowers({ admin: owner, tenant_id: id }: BenchWorld, rows: number) {
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
}

import type pg from 'pg';

/** Every row of every table as text, including the job queue. */
export async function dumpAllRows(owner: pg.Pool): Promise<string> {
  const { rows: tables } = await owner.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relkind = 'r' and relnamespace in
       (select oid from pg_namespace where nspname in ('public', 'app', 'graphile_worker'))`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await owner.query<{ text: string }>(
      `select kept::text as text from ${name} as kept`,
    );
    texts.push(...rows.map(({ text }) => text));
  }
  return texts.join('\n');
}

import pg from 'pg';

/** The process number of the embedded server, as it has written it into its data folder. */
export async function postmasterPid(url: string): Promise<number> {
  const client = new pg.Client(url);
  // A server that ends while it is asked is an answer, not a reason to end as well.
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ text: string }>(
      `select pg_read_file('postmaster.pid') as text`,
    );
    return Number(rows[0]?.text.split('\n')[0]);
  } finally {
    await client.end();
  }
}

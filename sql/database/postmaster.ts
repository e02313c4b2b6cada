import pg from 'pg';

/** The embedded server's process id, from its data folder. */
export async function postmasterPid(url: string): Promise<number> {
  const client = new pg.Client(url);
  // The server may end while this connection is open. That is an answer, not a failure.
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

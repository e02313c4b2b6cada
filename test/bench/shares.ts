import pg from 'pg';

const SAMPLE_INTERVAL_MS = 20;

export type Shares = { stop(): Promise<Record<string, number>> };

/**
 * Samples the database's activity repeatedly. For each name, returns how often a connection was running a
 * statement that contains the name's text, as a share of all samples of busy connections.
 */
export async function watchShares(
  url: string,
  words: Readonly<Record<string, string>>,
): Promise<Shares> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  const seen = new Map<string, number>();
  let all = 0;
  const stopping = new AbortController();
  const look = async () => {
    while (!stopping.signal.aborted) {
      const { rows } = await client.query<{ query: string }>(
        `select query from pg_stat_activity
         where state = 'active' and usename is not null and pid <> pg_backend_pid()
           and datname = current_database()`,
      );
      for (const { query } of rows) {
        const name = Object.keys(words).find((step) => query.includes(words[step] ?? '')) ?? '';
        seen.set(name, (seen.get(name) ?? 0) + 1);
        all += 1;
      }
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_INTERVAL_MS));
    }
  };
  const looking = look();
  return {
    stop: async () => {
      stopping.abort();
      await looking;
      await client.end();
      return Object.fromEntries(
        Object.keys(words).map((step) => [step, (seen.get(step) ?? 0) / Math.max(all, 1)]),
      );
    },
  };
}

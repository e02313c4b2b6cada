import { API_PROCESS, superviseProcess, type Child } from '../../processes/children.ts';
import { environmentOf } from '../../demo/platform.ts';

const STOP_WITHIN_MS = 20_000;

type ServerSettings = {
  url: string;
  secret: string;
  folder: string;
  variables: Record<string, string | undefined>;
};

/**
 * Runs the steps with an API and a ledger worker of their own on the database, and ends both. It makes no
 * difference whether other processes serve the database too.
 */
export async function withServers(
  { url, secret, folder, variables }: ServerSettings,
  steps: (origin: string) => Promise<void>,
) {
  const env = { ...environmentOf(url, folder, '', variables), SECRET: secret };
  const listening = Promise.withResolvers<number>();
  const onCrash = ({ code }: { code: number | string }) =>
    listening.reject(new Error(`A process of the seed did not start (${code}).`));
  const onMessage = (message: unknown) => {
    const { listening: port } = message as { listening?: number };
    if (port) listening.resolve(port);
  };
  const children: Child[] = [
    superviseProcess({ ...API_PROCESS, env, onMessage, onCrash }),
    superviseProcess({ name: 'ledger', file: 'worker.ts', arguments: ['ledger'], env, onCrash }),
  ];
  try {
    await steps(`http://127.0.0.1:${await listening.promise}`);
  } finally {
    await Promise.all(children.map((child) => child.stop(STOP_WITHIN_MS)));
  }
}

import { fork } from 'node:child_process';
import type { Log } from '../../jobs/monitoring/log.ts';
import type { EmbeddedPostgres } from '../../sql/database/embedded.ts';
import { postmasterPid } from '../../sql/database/postmaster.ts';
import { startRepeating } from '../queue/repeat.ts';

const POLL_MS = 2_000;

export type PostgresSupervisor = {
  /** Stops the supervision and then the server. */
  stop(): Promise<void>;
};

/** Restarts the embedded Postgres after a crash, and makes sure that it stops if this process is killed. */
export async function supervisePostgres(
  postgres: EmbeddedPostgres,
  log: Log,
): Promise<PostgresSupervisor> {
  let pid = await postmasterPid(postgres.url);
  let callOff = startGuardian(pid);
  const watching = startRepeating(log, 'look after Postgres', async () => {
    const known = await postmasterPid(postgres.url).catch(() => undefined);
    if (known === undefined) {
      if (isRunning(pid)) return POLL_MS;
      log.error('Postgres has ended; it starts again');
      await postgres.restart();
      return 0;
    }
    if (known !== pid) {
      callOff();
      callOff = startGuardian(known);
      pid = known;
    }
    return POLL_MS;
  });
  return {
    stop: async () => {
      await watching.stop();
      if (isRunning(pid)) await postgres.stop('fast');
      callOff();
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Starts the guardian process. Returns a function that ends it. */
function startGuardian(pid: number): () => void {
  const guardian = fork(new URL('guardian.ts', import.meta.url), [String(pid)], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  guardian.on('error', () => {});
  guardian.unref();
  guardian.channel?.unref();
  return () => {
    if (guardian.connected) guardian.send('all is well');
  };
}

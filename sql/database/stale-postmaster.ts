import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';

const FAST_SHUTDOWN_MS = 20_000;
const IMMEDIATE_SHUTDOWN_MS = 10_000;

/**
 * Stops a Postgres that a killed run left behind in the data folder. Call it only while holding the claim
 * on the folder, which proves that the server's owner is gone.
 */
export async function endStalePostmaster(data: string) {
  const file = path.join(data, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  if (isServerOf(pid, data)) {
    process.kill(pid, 'SIGINT');
    if (!(await hasEnded(pid, FAST_SHUTDOWN_MS))) process.kill(pid, 'SIGQUIT');
    if (!(await hasEnded(pid, IMMEDIATE_SHUTDOWN_MS)))
      throw new Error(`An earlier Postgres (process ${pid}) still uses ${data} and does not stop.`);
  }
  rmSync(file, { force: true });
}

/** A reused process id must not end an unrelated process or the server of another folder. */
function isServerOf(pid: number, data: string): boolean {
  if (!isRunning(pid)) return false;
  try {
    // The server's working directory is its data folder.
    if (existsSync('/proc/self/cwd'))
      return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(data);
    const command = execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return command.includes('postgres') && command.includes(data);
  } catch {
    return false;
  }
}

async function hasEnded(pid: number, withinMs: number): Promise<boolean> {
  for (let waited = 0; isRunning(pid) && waited < withinMs; waited += 50)
    await new Promise((resolve) => setTimeout(resolve, 50));
  return !isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

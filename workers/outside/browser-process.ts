import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { launch, type Browser } from 'puppeteer';
import { findChromium } from './chromium.ts';

export type StartOptions = {
  /** A folder of our own (below DATA_DIR), where the browser is unpacked and keeps its profile. */
  folder: string;
  /** PUPPETEER_EXECUTABLE_PATH: a browser to use instead. */
  executablePath?: string | undefined;
  /**
   * For an ordinary user on a system that forbids user namespaces, when its owner accepts that
   * documents are then printed without Chromium's inner walls. Root never has them.
   */
  noSandbox?: boolean | undefined;
};
export type Started = { browser: Browser; profile: string };

const START_TIMEOUT_MS = 30_000;
const SANDBOX_ADVICE =
  'The browser did not start. If this system forbids user namespaces to ordinary users, allow ' +
  'them, or name another browser in PUPPETEER_EXECUTABLE_PATH.';

/** Starts a browser in a process group of its own, with nothing of our environment. */
export async function start({ folder, executablePath, noSandbox }: StartOptions): Promise<Started> {
  const chromium = await findChromium(folder, executablePath);
  await sweep(folder);
  const profile = await mkdtemp(join(resolve(folder), `profile-${process.pid}-`));
  // Root has no other way: Chromium refuses to build its sandbox there.
  const isBare = noSandbox || process.getuid?.() === 0;
  try {
    const browser = await launch({
      ...chromium,
      // A pipe instead of a port: nobody else can talk to it, and it ends when we do.
      pipe: true,
      headless: 'shell',
      userDataDir: profile,
      timeout: START_TIMEOUT_MS,
      protocolTimeout: START_TIMEOUT_MS,
      // The worker has its own signals, and its exit ends the whole process group.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      args: isBare ? [...FLAGS, '--no-sandbox'] : FLAGS,
    });
    return { browser, profile };
  } catch (error) {
    await rm(profile, { recursive: true, force: true });
    if (isBare) throw error;
    throw new Error(SANDBOX_ADVICE, { cause: error });
  }
}

const FLAGS = [
  '--disable-gpu',
  '--disable-webgl',
  '--disable-dev-shm-usage',
  '--font-render-hinting=none',
  '--no-default-browser-check',
  // Even a request that escaped the page's own guard would find no host.
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=http://127.0.0.1:9',
];

/** Kills the whole process group at once: a browser that hangs does not close when asked. */
export async function end({ browser, profile }: Started): Promise<void> {
  const child = browser.process();
  if (child?.pid !== undefined && child.exitCode === null) {
    try {
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
    } catch {
      child.kill('SIGKILL');
    }
  }
  await Promise.race([browser.close().catch(() => undefined), pause(2_000)]);
  await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** Takes away what killed processes left: each folder carries the id of its process. */
async function sweep(folder: string): Promise<void> {
  const names = await readdir(folder);
  const left = names.filter((name) => {
    const pid = /^(?:profile|unpacking)-(\d+)-/.exec(name)?.[1];
    return pid !== undefined && !isAlive(Number(pid));
  });
  await Promise.all(left.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user is alive, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import puppeteer, { TimeoutError, type Browser } from 'puppeteer';
import {
  browserCommand,
  describeMissingIsolation,
  NOBODY_UID,
  possibleIsolations,
  type BrowserIsolation,
} from './browser-isolation.ts';
import { findChromium, type Chromium } from './chromium.ts';

export type BrowserOptions = {
  /** A folder of our own (below DATA_DIR), where the browser is unpacked and keeps its profile. */
  folder: string;
  /** PUPPETEER_EXECUTABLE_PATH: a browser to use instead. */
  executablePath?: string | undefined;
  /** Told of every start that failed, of every restart, and of walls that are missing. */
  onTrouble?: (message: string) => void;
};
export type StartedBrowser = { browser: Browser; profile: string };

const START_TIMEOUT_MS = 30_000;

/** What the system was found to allow each browser; asked once in the life of a process. */
const found = new Map<string, BrowserIsolation>();

/**
 * Starts a browser in a process group of its own, with nothing of our environment, within the best
 * walls that the system allows: root lends it the user nobody, and its sandbox is built wherever
 * user namespaces are allowed.
 */
export async function startBrowser(options: BrowserOptions): Promise<StartedBrowser> {
  const chromium = await findChromium(options.folder, options.executablePath);
  await sweep(options.folder);
  const browser = options.executablePath ?? options.folder;
  const known = found.get(browser);
  const ways = known ? [known] : possibleIsolations();
  for (const walls of ways) {
    try {
      const started = await startWithin(walls, chromium, options.folder);
      if (!known && describeMissingIsolation(walls) !== '')
        options.onTrouble?.(describeMissingIsolation(walls));
      found.set(browser, walls);
      return started;
    } catch (error) {
      // A busy machine says nothing about its walls.
      if (walls === ways.at(-1) || error instanceof TimeoutError) throw error;
    }
  }
  throw new Error('There is no way to start the browser.');
}

async function startWithin(
  walls: BrowserIsolation,
  chromium: Chromium,
  folder: string,
): Promise<StartedBrowser> {
  const profile = await mkdtemp(join(resolve(folder), `profile-${process.pid}-`));
  if (walls.user === 'nobody') await chown(profile, NOBODY_UID, NOBODY_UID);
  const options = {
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
    args: walls.sandbox ? FLAGS : [...FLAGS, '--no-sandbox'],
  } as const;
  const { env, executablePath = puppeteer.executablePath('chrome') } = chromium;
  try {
    const command = browserCommand(
      walls,
      await executablePath,
      await puppeteer.defaultArgs(options),
    );
    const browser = await puppeteer.launch({
      ...options,
      ...command,
      env,
      ignoreDefaultArgs: true,
    });
    return { browser, profile };
  } catch (error) {
    await rm(profile, { recursive: true, force: true });
    throw error;
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
export async function killBrowser({ browser, profile }: StartedBrowser): Promise<void> {
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

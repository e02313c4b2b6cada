import { existsSync } from 'node:fs';

/** Who the browser runs as, and whether within Chromium's sandbox. */
export type BrowserIsolation = { user: 'ourselves' | 'nobody'; sandbox: boolean };

/** The unprivileged user that every system has. */
export const NOBODY_UID = 65534;

const isRoot = () => process.getuid?.() === 0;
const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));

/** Every way that the system may allow, the safest first. Root's own browser has no sandbox. */
export function possibleIsolations(): BrowserIsolation[] {
  if (!isRoot()) {
    return [
      { user: 'ourselves', sandbox: true },
      { user: 'ourselves', sandbox: false },
    ];
  }
  const asNobody: BrowserIsolation[] = [
    { user: 'nobody', sandbox: true },
    { user: 'nobody', sandbox: false },
  ];
  return [...(SETPRIV ? asNobody : []), { user: 'ourselves', sandbox: false }];
}

/** The command that starts the browser: as nobody it goes through setpriv, which becomes it. */
export function browserCommand(walls: BrowserIsolation, browser: string, args: readonly string[]) {
  if (walls.user === 'ourselves' || !SETPRIV) return { executablePath: browser, args: [...args] };
  const user = [
    `--reuid=${NOBODY_UID}`,
    `--regid=${NOBODY_UID}`,
    '--clear-groups',
    '--no-new-privs',
    '--',
  ];
  return { executablePath: SETPRIV, args: [...user, browser, ...args] };
}

/** One sentence for the log about walls that are missing; empty where none are. */
export function describeMissingIsolation({ user, sandbox }: BrowserIsolation): string {
  if (sandbox) return '';
  return isRoot() && user === 'ourselves'
    ? 'The browser runs as root and without its sandbox: nobody may not reach it, or setpriv is missing.'
    : 'The browser runs without its sandbox: this system forbids user namespaces.';
}

import { existsSync } from 'node:fs';

/** The user that runs the browser, and whether Chromium's sandbox is on. */
export type BrowserIsolation = { user: 'ourselves' | 'nobody'; sandbox: boolean };

/** The id of the unprivileged user `nobody`, which every system has. */
export const NOBODY_UID = 65534;

const isRoot = () => process.getuid?.() === 0;
const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));

/** The isolation levels to try, safest first. A browser that runs as root has no sandbox. */
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

/**
 * The command that starts the browser. As `nobody`, it starts through setpriv, which replaces itself with
 * the browser.
 */
export function browserCommand(
  isolation: BrowserIsolation,
  browser: string,
  args: readonly string[],
) {
  if (isolation.user === 'ourselves' || !SETPRIV)
    return { executablePath: browser, args: [...args] };
  const user = [
    `--reuid=${NOBODY_UID}`,
    `--regid=${NOBODY_UID}`,
    '--clear-groups',
    '--no-new-privs',
    '--',
  ];
  return { executablePath: SETPRIV, args: [...user, browser, ...args] };
}

/** A sentence for the log about missing isolation. Empty if nothing is missing. */
export function describeMissingIsolation({ user, sandbox }: BrowserIsolation): string {
  if (sandbox) return '';
  return isRoot() && user === 'ourselves'
    ? 'The browser runs as root and without its sandbox: nobody may not reach it, or setpriv is missing.'
    : 'The browser runs without its sandbox: this system forbids user namespaces.';
}

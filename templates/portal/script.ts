import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

let readScript: { text: string; source: string } | undefined;

/** The script of the pages that use passkeys, and its hash for the content security policy. */
export function passkeyScript() {
  if (readScript) return readScript;
  const text = readFileSync(new URL('./passkeys.js', import.meta.url), 'utf8');
  const hash = createHash('sha256').update(text).digest('base64');
  readScript = { text, source: `'sha256-${hash}'` };
  return readScript;
}

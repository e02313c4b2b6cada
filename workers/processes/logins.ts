import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

/** The users of a data folder's database. The next `npm start` prints them. */
const Logins = z.object({
  /** `demo`: `npm start` adds nothing to this folder. */
  from: z.enum(['seed', 'demo']),
  emails: z.array(z.string()),
  password: z.string(),
});
export type Logins = z.output<typeof Logins>;

const fileOf = (folder: string) => path.join(folder, 'logins.json');

export function readLogins(folder: string): Logins | null {
  const file = fileOf(folder);
  if (!existsSync(file)) return null;
  return Logins.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data ?? null;
}

export const writeLogins = (folder: string, logins: Logins) =>
  writeFileSync(fileOf(folder), JSON.stringify(logins), { mode: 0o600 });

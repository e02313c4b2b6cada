import { messagePages } from './messages.ts';
import { missing } from './missing.ts';
import type { Page } from './page.ts';
import { accountPages } from './accounts.ts';
import { autopayPages } from './autopay.ts';
import { documentPages } from './documents.ts';
import { hardshipPages } from './hardship.ts';
import { homePages } from './home.ts';
import { loanPages } from './loans.ts';
import { payPages } from './pay.ts';
import { profilePages } from './profile.ts';
import { signingIn } from './signing-in.ts';

/** Every page there is. */
const all: readonly Page[] = [
  ...signingIn,
  ...homePages,
  ...loanPages,
  ...payPages,
  ...autopayPages,
  ...accountPages,
  ...documentPages,
  ...messagePages,
  ...hardshipPages,
  ...profilePages,
];

/** The page at an address, and what its address names. */
export function placeOf(address: string): { page: Page; params: Record<string, string> } {
  const path = address.slice('/portal'.length).replace(/\/$/, '');
  for (const page of all) {
    const params = paramsOf(page.path, path);
    if (params) return { page, params };
  }
  throw missing();
}

function paramsOf(pattern: string, path: string): Record<string, string> | null {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    const value = given[index] ?? '';
    if (name !== undefined && value !== '') params[name] = value;
    else if (part !== value) return null;
  }
  return params;
}

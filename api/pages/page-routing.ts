import { messagePages } from './messages.ts';
import { pageNotFound } from './page-not-found.ts';
import type { Page } from './page.ts';
import { accountPages } from './accounts.ts';
import { autopayPages } from './autopay.ts';
import { PROVIDER_RETURN, providerReturnPages } from './provider-return.ts';
import { documentPages } from './documents.ts';
import { ownFactorPages } from './factors.ts';
import { hardshipPages } from './hardship.ts';
import { homePages } from './home.ts';
import { loanPages } from './loans.ts';
import { OPS, opsPages } from './ops.ts';
import { payPages } from './pay.ts';
import { profilePages } from './profile.ts';
import { PORTAL, STAFF } from './sections.ts';
import { signInPages } from './signing-in.ts';
import { staffPages } from './staff.ts';
import { unsubscribePages } from './unsubscribe.ts';

/** Every page that borrowers open. */
const portal: readonly Page[] = [
  ...signInPages,
  ...unsubscribePages,
  ...homePages,
  ...loanPages,
  ...payPages,
  ...autopayPages,
  ...accountPages,
  ...documentPages,
  ...messagePages,
  ...hardshipPages,
  ...profilePages,
  ...ownFactorPages(PORTAL),
];

/** Pages that lie below one address. */
export type Section = {
  at: string;
  isPortal: boolean;
  pages: readonly Page[];
  /** Where whoever is not signed in goes, unless the room says it in its own way. */
  sign_in?: string;
};

const ROOMS: readonly Section[] = [
  { at: PORTAL, isPortal: true, pages: portal, sign_in: `${PORTAL}/sign-in` },
  { at: STAFF, isPortal: false, pages: staffPages, sign_in: `${STAFF}/sign-in` },
  { at: OPS, isPortal: false, pages: opsPages, sign_in: `${OPS}/sign-in` },
  { at: PROVIDER_RETURN, isPortal: false, pages: providerReturnPages },
];

/** The room that an address is in, if it is one of a page. */
export const sectionOf = (address: string): Section | undefined =>
  ROOMS.find(({ at }) => address === at || address.startsWith(`${at}/`));

/** The page at an address of the room, and what its address names. */
export function resolvePage({ at, pages }: Section, address: string) {
  const path = address.slice(at.length).replace(/\/$/, '');
  for (const page of pages) {
    const params = paramsOf(page.path, path);
    if (params) return { page, params };
  }
  throw pageNotFound();
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

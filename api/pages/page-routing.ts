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
import { startPages } from './start.ts';
import { unsubscribePages } from './unsubscribe.ts';

/** The borrower's pages. */
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

/** A group of pages below one path. */
export type Section = {
  at: string;
  isPortal: boolean;
  pages: readonly Page[];
  /** The sign-in page for visitors without a session, unless the section handles them itself. */
  sign_in?: string;
};

const SECTIONS: readonly Section[] = [
  { at: PORTAL, isPortal: true, pages: portal, sign_in: `${PORTAL}/sign-in` },
  { at: STAFF, isPortal: false, pages: staffPages, sign_in: `${STAFF}/sign-in` },
  { at: OPS, isPortal: false, pages: opsPages, sign_in: `${OPS}/sign-in` },
  { at: PROVIDER_RETURN, isPortal: false, pages: providerReturnPages },
];

/** The start page, and the page for browsers at an address that does not exist. */
export const ROOT: Section = { at: '', isPortal: true, pages: startPages };

/** Returns the section of a path, or undefined if the path is not a page. */
export const sectionOf = (address: string): Section | undefined =>
  SECTIONS.find(({ at }) => address === at || address.startsWith(`${at}/`));

/** Finds the page at a path of the section and its path parameters. */
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

import type { DatabasePool } from 'slonik';
import type { Installation } from '../../jobs/installation.ts';
import type { Language } from '../../templates/portal/words.ts';
import type { User } from '../http/permissions.ts';
import type { CallEndpoint } from './call-endpoint.ts';
import type { PortalConfig } from '../portal/config.ts';
import type { Form } from './form.ts';

/** The errors of a submitted form, per field and for the whole form. */
export type Problems = {
  code: string;
  message: string;
  errors: Record<string, string>;
  details: Record<string, unknown>;
};

/** One request for a page, as the page receives it. */
export type Visit = {
  ask: CallEndpoint;
  params: Record<string, string>;
  query: Record<string, string>;
  form: Form;
  /** The errors of the refused form, when its page is shown again. */
  problems: Problems | null;
  user: User | null;
  config: PortalConfig;
  language: Language;
  /** The tenant's trusted origins, where its staff work. */
  dashboards: readonly string[];
  tenant: { id: string; slug: string };
  /** Whether the tenant's root address leads to the portal. */
  isPortalHomePage: boolean;
  store: { pool: DatabasePool; installation: Installation };
  /** Stores the language in the browser. */
  speak: (language: string) => void;
};

/** A page to show: its template and data. */
export type PageView = {
  page: string;
  data: object;
  status?: number;
  hasScript?: boolean;
  /** The operations pages have their own layout and texts. */
  look?: 'ops';
};
/** A page that is sent repeatedly as server-sent events. */
export type PageStream = { stream: (render: (page: PageView) => string) => AsyncIterable<string> };
/** A redirect with an optional notice. `clears` deletes the browser's cache and storage of our site. */
export type Redirect = { to: string; done?: string; clears?: boolean };

/**
 * One path of a section. Endpoints validate a submitted form; if they refuse it, the page is shown again.
 */
export type Page = {
  /** Relative to its section, with {id} parameters. */
  path: string;
  show: (visit: Visit) => Promise<PageView | Redirect | PageStream>;
  submit?: (visit: Visit) => Promise<PageView | Redirect>;
  /** The page needs no session. */
  isOpen?: boolean;
  /** The path of its cookies, if it differs from the section's path. */
  cookiePath?: string;
  /** The form may contain a file. */
  takesFile?: boolean;
  /** Mail programs also post to it. No CSRF token is required and the body is not read. */
  isOneClick?: boolean;
};

export const pageView = (page: string, data: object = {}): PageView => ({ page, data });
/** Adds the passkey script, the only script of these pages. The page also works without it. */
export const withPasskeyScript = (page: PageView): PageView => ({ ...page, hasScript: true });
export const redirectTo = (to: string, done?: string): Redirect => ({ to, ...(done && { done }) });

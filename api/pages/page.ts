import type { DatabasePool } from 'slonik';
import type { Installation } from '../../jobs/installation.ts';
import type { Language } from '../../templates/portal/words.ts';
import type { User } from '../http/permissions.ts';
import type { CallEndpoint } from './call-endpoint.ts';
import type { PortalConfig } from '../portal/config.ts';
import type { Form } from './form.ts';

/** What is wrong with a form that was sent: for each field, and as a whole. */
export type Problems = {
  code: string;
  message: string;
  errors: Record<string, string>;
  details: Record<string, unknown>;
};

/** One request for a page, as the page sees it. */
export type Visit = {
  ask: CallEndpoint;
  params: Record<string, string>;
  query: Record<string, string>;
  form: Form;
  /** What the form before was refused for, when its page is shown again. */
  problems: Problems | null;
  user: User | null;
  config: PortalConfig;
  language: Language;
  /** Where the tenant's own staff work: the origins that it trusts. */
  dashboards: readonly string[];
  tenant: { id: string; slug: string };
  store: { pool: DatabasePool; installation: Installation };
  /** Has the browser keep a language. */
  speak: (language: string) => void;
};

/** A page to be shown: its template and what is in it. */
export type PageView = {
  page: string;
  data: object;
  status?: number;
  hasScript?: boolean;
  /** Of operations, whose pages look and speak otherwise than those of borrowers. */
  look?: 'ops';
};
/** A page that is sent again and again, as events. */
export type PageStream = { stream: (render: (page: PageView) => string) => AsyncIterable<string> };
/** Another page to go to, and a word about what was done; what the browser has kept of us may go. */
export type Redirect = { to: string; done?: string; clears?: boolean };

/** One address of a room. What is sent to it is refused by its endpoints and then shown again. */
export type Page = {
  /** Below its room, with {id} parameters. */
  path: string;
  show: (visit: Visit) => Promise<PageView | Redirect | PageStream>;
  submit?: (visit: Visit) => Promise<PageView | Redirect>;
  /** For whoever has not signed in. */
  isOpen?: boolean;
  /** Where its cookies go, when that is not its own room. */
  door?: string;
  /** A file may come with its form. */
  takesFile?: boolean;
  /** Programs send its form as well: without a token of ours, and with a body that is not read. */
  isOneClick?: boolean;
};

export const pageView = (page: string, data: object = {}): PageView => ({ page, data });
/** The same with the one script there is; the page is of use without it. */
export const withPasskeyScript = (page: PageView): PageView => ({ ...page, hasScript: true });
export const redirectTo = (to: string, done?: string): Redirect => ({ to, ...(done && { done }) });

import type { z } from 'zod';
import type { FactName } from '../../jobs/facts.ts';
import type { Installation } from '../../jobs/installation.ts';
import type { ApprovalKind, Settings } from '../../jobs/users/settings.ts';
import type { Work, Within } from '../../jobs/work.ts';
import type { ListRequest } from '../../sql/list.ts';
import type { Table } from '../../sql/table.ts';
import type { Access } from '../http/access.ts';
import type { Allow, User } from '../http/permissions.ts';
import type { Session } from '../http/session.ts';
import type { Version, WantedVersions } from '../http/versions.ts';
import type { NeedsProof } from './recent-proof.ts';
import type { ListDeclaration } from './lists.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One request, parsed and permitted, as an endpoint's `run` sees it. */
export type Call = {
  work: Work;
  /** Nothing is asked of its transaction once the endpoint has answered: what is read last may end it. */
  ends: boolean;
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
  list: ListRequest | null;
  user: User | null;
  /** What the user may do and see. */
  access: Access;
  /** All that may be asked for, for answers that say what a user may do. */
  routes: readonly Route[];
  /** What If-Match asks for. */
  wanted: WantedVersions;
  /** Refuses the change of a row, which is locked, where If-Match names another state of it. */
  checkMatch: (row: unknown) => void;
  /** Scheme and host as the client knows them, for links in answers. */
  origin: string;
};

/** What endpoints that keep their own transactions get besides: signing in, and raw bytes. */
export type OwnTransactionCall = Omit<Call, 'work' | 'ends'> & {
  within: Within;
  /** What the process was started with. */
  installation: Installation;
  tenant_id: string;
  ip: string;
  request_id: string;
  session: Session;
  /** The bytes of the body as they came, for signatures. */
  raw: string;
  /** The whole address that was called, which some providers sign. */
  url: string;
  header: (name: string) => string;
};

/** A page of rows and how many there are in all, which is what an endpoint with a list answers. */
export type Page = { rows: readonly unknown[]; total: number };

type Declared = {
  method: Method;
  /** Below /api/v1, with {id} parameters. */
  path: string;
  allow: Allow;
  tag: string;
  summary: string;
  /** What /users/me calls this: an action on a resource. */
  action: string;
  resource: string;
  query?: z.ZodType;
  body?: z.ZodType;
  /** The body is a form with a file, in the field that is called so. */
  takes_file?: true;
  reply?: z.ZodType;
  status: number;
  list?: ListDeclaration;
  /** Nothing in it asks what day it is, so its first statement goes along with its settings. */
  is_undated?: true;
  /** The answer is counted or summed up from many records, as a list is. */
  is_report?: true;
  /** The answer is a record, and carries its version as ETag. */
  etag?: Version;
  /** What is changed is a record, which If-Match may name the version of. */
  ifMatch?: Version;
  /** A second person has to approve of it, where the tenant wants that for this kind. */
  four_eyes?: ApprovalKind;
  /** Whether it does, where what is asked for decides that and not the tenant's choice of kinds. */
  asks?: (call: Call) => Promise<boolean>;
  /**
   * It grants power, always or in some calls: the user must have entered the password or a second factor
   * here within the last minutes.
   */
  needs_proof?: NeedsProof;
  /** Fields of the body that no answer shows: while a request waits for approval they are kept sealed. */
  secrets?: readonly string[];
  /** Which calls of the endpoint the kind concerns; without it, all of them. */
  asks_if?: (call: Call) => Promise<boolean>;
  /** What a second person approves besides the records that the request names (`approval-content.ts`). */
  content?: (call: Call) => Promise<Record<string, unknown>>;
  /** The records that {id} in the path is of, where a request may be kept before it is done. */
  record?: Table;
  /** A rate of the settings that limits this endpoint beside the rate for all requests. */
  throttle?: keyof Settings['throttle'];
  /** What the security log calls it when this was done or refused; without it, it is not watched. */
  security_event?: string;
};

/**
 * The facts that leave by an endpoint in another way than as fields of its answer: by a file, by a
 * destination that it sets up, or by a selection. A user who is denied one of them is refused (403).
 * `anything`: a file or a text, of which nothing can be left out. `portal`: all that a borrower sees.
 */
export type CarriedFacts = 'anything' | 'portal' | readonly FactName[];
/** `judged`: the endpoint finds out by itself, in its own transaction, and refuses by itself. */
export type FactsDeclaration = CarriedFacts | 'judged';

/** Everything there is to know of one endpoint; router, OpenAPI, tests and `npm run routes` read it. */
export type Route = Declared &
  (
    | {
        transaction: 'read' | 'write';
        run: (call: Call) => Promise<unknown>;
        /** Or found out from the records that the request names, in the transaction of `run`. */
        carries?: FactsDeclaration | ((call: Call) => Promise<CarriedFacts>);
      }
    | {
        transaction: 'own';
        run: (call: OwnTransactionCall) => Promise<unknown>;
        carries?: FactsDeclaration;
      }
  );

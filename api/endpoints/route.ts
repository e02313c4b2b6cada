import type { z } from 'zod';
import type { Conflict } from '../../jobs/errors.ts';
import type { FactName } from '../../jobs/facts.ts';
import type { Installation } from '../../jobs/installation.ts';
import type { ApprovalKind } from '../../jobs/users/settings/access-settings.ts';
import type { Settings } from '../../jobs/users/settings/settings.ts';
import type { Work, Within } from '../../jobs/work.ts';
import type { ListRequest } from '../../sql/list.ts';
import type { Table } from '../../sql/table.ts';
import type { Allow, Permission, User } from '../http/permissions.ts';
import type { Session } from '../http/session-handle.ts';
import type { Version, WantedVersions } from '../http/versions.ts';
import type { ListDeclaration } from './list-declaration.ts';

/** What a user may do and see during one request. `resolveAccess` computes it from the user's rules. */
export type Access = {
  mayCall(route: Route, params?: Record<string, string>): boolean;
  /** Whether an endpoint shows the user records of the resource. True if no endpoint shows any. */
  mayRead(resource: string): boolean;
  /** The field names that answers of the resource leave out. */
  hiddenIn(resource: string): ReadonlySet<string>;
  /** The field names that a body of the route may not contain. */
  lockedIn(route: Route): ReadonlySet<string>;
  permissions(): Permission[];
  /** The records that the user's grants name individually. */
  grantedIds: string[];
  /** Whether any field is hidden from the user. */
  isRestricted: boolean;
  /** The values of hidden enumerated fields, which an error message must not contain. */
  hiddenWords(): string[];
  /** Those of the facts that the user may not see. */
  deniedAmong(facts: readonly FactName[]): FactName[];
  /** The field names that the borrower portal would have to hide from this user. */
  hiddenInPortal(): string[];
  /** Every hidden field name, for answers that can contain any record. */
  hiddenAnywhere: ReadonlySet<string>;
};

export type NeedsProof = true | ((call: Call) => boolean | Promise<boolean>);

/** Part of a valid request on that business date. */
export type Example = (today: string) => object;

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One parsed and permitted request, as an endpoint's `run` receives it. */
export type Call = {
  work: Work;
  /** Nothing follows in the transaction after the endpoint answers, so its last read may also commit. */
  endsTransaction: boolean;
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
  list: ListRequest | null;
  user: User | null;
  access: Access;
  /** The whole route table, for answers that list a user's permissions. */
  routes: readonly Route[];
  /** The versions named by If-Match. */
  expectedVersions: WantedVersions;
  /** Throws 412 if If-Match names another version of the locked row. */
  checkMatch: (row: unknown) => void;
  /** Scheme and host as the client sees them, for links in answers. */
  origin: string;
};

/** The call of an endpoint that manages its own transactions, such as signing in. */
export type OwnTransactionCall = Omit<Call, 'work' | 'endsTransaction'> & {
  within: Within;
  /** The configuration of the process. */
  installation: Installation;
  tenant_id: string;
  ip: string;
  request_id: string;
  session: Session;
  /** The unparsed body, for signature checks. */
  raw: string;
  /** The full URL of the request, which some providers sign. */
  url: string;
  header: (name: string) => string;
};

/** The answer of a list endpoint: one page of rows and the total number of rows. */
export type Page = { rows: readonly unknown[]; total: number };

type RouteDeclaration = {
  method: Method;
  /** Relative to /api/v1, with {id} parameters. */
  path: string;
  allow: Allow;
  tag: string;
  summary: string;
  /** When to use the operation and what it changes, for the API documentation. */
  description?: string;
  /** The action on `resource`, as /users/me and permission rules name it. */
  action: string;
  resource: string;
  /** Parameters in the path that are not ids. The endpoint checks them itself. */
  params?: Readonly<Record<string, z.ZodType>>;
  query?: z.ZodType;
  body?: z.ZodType;
  /**
   * What a valid body contains in addition to the fields that its schema requires, or a valid query of a
   * GET. The API documentation and the tests of all endpoints send it.
   */
  example?: Example;
  /** The body is a form with one file in the field `file`. */
  takes_file?: true;
  /** The refusals of its own (409), as the code throws them. The API documentation shows them. */
  conflicts?: () => readonly Conflict[];
  reply?: z.ZodType;
  status: number;
  list?: ListDeclaration;
  /**
   * The endpoint does not depend on the business date, so its first statement is sent together with the
   * transaction settings.
   */
  is_undated?: true;
  /** The answer aggregates many records, as a list does. */
  is_report?: true;
  /** The answer is a record and carries its version as ETag. */
  etag?: Version;
  /** The endpoint changes a record, whose version If-Match may name. */
  ifMatch?: Version;
  /** The operation needs maker–checker approval if the tenant requires it for this kind. */
  four_eyes?: ApprovalKind;
  /**
   * Decides whether approval is needed when the request itself determines it, not the tenant's settings.
   */
  asks?: (call: Call) => Promise<boolean>;
  /**
   * The endpoint grants power, always or in some calls. The user must have entered the password or an
   * enrolled second factor within the last minutes.
   */
  needs_proof?: NeedsProof;
  /** Body fields that no answer returns. They are sealed while the request waits for approval. */
  secrets?: readonly string[];
  /** Limits the approval to some calls. Default: all. */
  asks_if?: (call: Call) => Promise<boolean>;
  /** Content to approve in addition to the records that the request names (`approval-content.ts`). */
  content?: (call: Call) => Promise<Record<string, unknown>>;
  /** The table of the {id} in the path, for requests that may wait for approval. */
  record?: Table;
  /** The setting with a rate limit for this endpoint, in addition to the limit for all requests. */
  throttle?: keyof Settings['throttle'];
  /** The event that the security log records on success and on refusal. Without it, nothing is logged. */
  security_event?: string;
};

/**
 * The facts that leave through an endpoint other than as fields of its answer: in a file, through a
 * destination that it sets up, or through a selection. A user who is denied one of them gets 403.
 *
 * - `anything`: a file or text from which no part can be removed.
 * - `portal`: everything that a borrower sees.
 */
export type CarriedFacts = 'anything' | 'portal' | readonly FactName[];
/** `judged`: the endpoint checks the facts itself, in its own transaction. */
export type FactsDeclaration = CarriedFacts | 'judged';

/**
 * The complete description of one endpoint. The router, OpenAPI, the tests and `npm run routes` read it.
 */
export type Route = RouteDeclaration &
  (
    | {
        transaction: 'read' | 'write';
        run: (call: Call) => Promise<unknown>;
        /**
         * A function derives the facts from the records that the request names, in the transaction of
         * `run`.
         */
        carries?: FactsDeclaration | ((call: Call) => Promise<CarriedFacts>);
      }
    | {
        transaction: 'own';
        run: (call: OwnTransactionCall) => Promise<unknown>;
        carries?: FactsDeclaration;
      }
  );

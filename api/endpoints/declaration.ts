import type { z } from 'zod';
import type { ApprovalKind } from '../../jobs/users/settings/access-settings.ts';
import type { Conflict } from '../../jobs/errors.ts';
import type { FactName } from '../../jobs/facts.ts';
import type { Work } from '../../jobs/work.ts';
import type { Row, Table } from '../../sql/table.ts';
import type { Allow, Role } from '../http/permissions.ts';
import type { Version } from '../http/versions.ts';
import type { Call, Example, NeedsProof, Route } from './route.ts';

export type Fields = Record<string, z.ZodType>;
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- an empty object is meant
export type NoFields = Record<never, never>;
export type Input = Record<string, unknown>;
export type StandardEndpoint = 'list' | 'read' | 'create' | 'update' | 'delete' | 'archive';
/** A child resource reached through its parent. The parent's id fills the field `key` of the child. */
export type Nested = { child: Resource; key: string; offers: readonly ('list' | 'create')[] };

/** `POST /{resource}/{id}/{name}`: the role, the body and the operation from `jobs/`. */
export type Action = {
  allow: Allow;
  summary: string;
  description?: string;
  body?: z.ZodType;
  example?: Example;
  /** The refusals of its own (409), as the code throws them. The API documentation shows them. */
  conflicts?: () => readonly Conflict[];
  reply?: z.ZodType;
  status?: number;
  four_eyes?: ApprovalKind;
  needs_proof?: NeedsProof;
  security_event?: string;
  /** Checks the locked row before anything else is read. Throws to refuse. */
  assert?: (before: Row, action: string) => void;
  /** Returns a refusal whose own writes are kept, although the action is refused. */
  objection?: (work: Work, id: string, input: never) => Promise<Conflict | null>;
  run: (work: Work, id: string, input: never, call: Pick<Call, 'origin'>) => Promise<unknown>;
  /** The facts that this action sends out. `record` means the facts that the record carries. */
  carries?: 'record' | Route['carries'];
};

/** The fields that creation may set: every field that is not readonly. */
type Settable<F extends Fields> = {
  [Name in keyof F as F[Name] extends z.ZodReadonly ? never : Name]: F[Name];
};
/** The body of a creation, as parsed by the schema that `creation()` builds. */
export type CreateInput<F extends Fields, Hidden extends Fields> = z.output<
  z.ZodObject<Settable<F> & Hidden>
>;
/** The body of an update: any subset of the creation's fields, without the fixed ones. */
export type UpdateInput<
  F extends Fields,
  Hidden extends Fields,
  Fixed extends keyof F | keyof Hidden,
> = {
  [Name in Exclude<keyof CreateInput<F, Hidden>, Fixed>]?: CreateInput<F, Hidden>[Name] | undefined;
};

export type Declaration<
  F extends Fields,
  Hidden extends Fields = NoFields,
  Fixed extends (keyof F | keyof Hidden) & string = never,
> = {
  name: string;
  path: string;
  /** The tag that groups the endpoints in the documentation. One of the areas. */
  area: string;
  /** What such a record is, in one or two sentences. The documentation of its endpoints begins with it. */
  about?: string;
  table: Table;
  read: Role;
  write: Role;
  /** The standard endpoints that exist at the resource's own path. */
  offers: readonly StandardEndpoint[];
  fields: F;
  /** Fields that creation accepts and no answer returns, such as secrets and full account numbers. */
  writeOnly?: Hidden;
  /** Fields that creation sets and an update cannot change. */
  fixed?: readonly Fixed[];
  filters?: readonly (keyof F & string)[];
  sort?: { field: keyof F & string; descending: boolean };
  archivable?: boolean;
  audited?: boolean;
  nested?: Record<string, Nested>;
  actions?: Record<string, Action>;
  /** `create` looks up the parent itself and throws the usual 404 if the parent does not exist. */
  finds_parent?: boolean;
  /** What a valid body of a creation contains in addition to the fields that its schema requires. */
  example?: (today: string) => NoInfer<Partial<Record<keyof CreateInput<F, Hidden>, unknown>>>;
  /** Replaces the plain insert. Returns the id of the new record. */
  create?: (work: Work, input: NoInfer<CreateInput<F, Hidden>>) => Promise<string>;
  /** Returns a refusal whose own writes are kept, although the creation is refused. */
  objection?: (work: Work, input: NoInfer<CreateInput<F, Hidden>>) => Promise<Conflict | null>;
  update?: (
    work: Work,
    id: string,
    changes: NoInfer<UpdateInput<F, Hidden, Fixed>>,
    row: Row,
  ) => Promise<void>;
  remove?: (work: Work, id: string, row: Row) => Promise<void>;
  /** The refusals of its own (409), as the code throws them. The API documentation shows them. */
  conflicts?: { [On in 'create' | 'update' | 'delete']?: () => readonly Conflict[] };
  /** The operations that need maker–checker approval, if the tenant requires it for that kind. */
  four_eyes?: { create?: ApprovalKind; update?: ApprovalKind; delete?: ApprovalKind };
  /** Limits the approval to some creations and changes. Default: all. */
  asks_if?: {
    create?: (call: Call) => Promise<boolean>;
    update?: (call: Call) => Promise<boolean>;
  };
  /** The operations that grant power and therefore need a recent proof. */
  needs_proof?: { create?: NeedsProof; update?: NeedsProof; delete?: NeedsProof };
  /** The events that the standard endpoints write to the security log. */
  security_events?: Partial<Record<StandardEndpoint, string>>;
  /**
   * The facts that a record sends out or uses as criteria. A user who is denied one of them cannot create
   * or change such a record.
   */
  carries?: (record: Input) => 'anything' | readonly FactName[];
  /** Roles that differ from `read` and `write` for single endpoints. */
  roles?: Partial<Record<StandardEndpoint, Role>>;
};

/** A declaration without the types of its fields, from which the routes are built. */
export type AnyDeclaration = Omit<
  Declaration<Fields>,
  'writeOnly' | 'fixed' | 'filters' | 'sort' | 'example' | 'create' | 'objection' | 'update'
> & {
  writeOnly?: Fields;
  fixed?: readonly string[];
  filters?: readonly string[];
  sort?: { field: string; descending: boolean };
  example?: Example;
  create?: (work: Work, input: never) => Promise<string>;
  objection?: (work: Work, input: never) => Promise<Conflict | null>;
  update?: (work: Work, id: string, changes: never, row: Row) => Promise<void>;
};

export type Resource<Field extends string = string> = {
  /** Exists only for its type: the field names that a child's `key` may use. */
  field?: Field;
  declaration: AnyDeclaration;
  reply: z.ZodObject;
  /** The body schema of a creation: every field that the server does not set itself. */
  creation: z.ZodObject;
  version: Version;
  routes: Route[];
};

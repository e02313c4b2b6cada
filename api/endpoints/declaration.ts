import type { z } from 'zod';
import type { ApprovalKind } from '../../jobs/users/settings.ts';
import type { Conflict } from '../../jobs/errors.ts';
import type { FactName } from '../../jobs/facts.ts';
import type { Work } from '../../jobs/work.ts';
import type { Row, Table } from '../../sql/table.ts';
import type { Allow, Role } from '../http/permissions.ts';
import type { Version } from '../http/versions.ts';
import type { NeedsProof } from './recent-proof.ts';
import type { Call, Route } from './route.ts';

export type Fields = Record<string, z.ZodType>;
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- that is what is meant
export type NoFields = Record<never, never>;
export type Input = Record<string, unknown>;
export type StandardEndpoint = 'list' | 'read' | 'create' | 'update' | 'delete' | 'archive';
/** A child reached through its parent, whose id fills the child's key. */
export type Nested = { child: Resource; key: string; offers: readonly ('list' | 'create')[] };

/** `POST /{resource}/{id}/{name}`: its role, its body, and the operation from `jobs/`. */
export type Action = {
  allow: Allow;
  summary: string;
  body?: z.ZodType;
  reply?: z.ZodType;
  status?: number;
  four_eyes?: ApprovalKind;
  needs_proof?: NeedsProof;
  security_event?: string;
  /** Refuses by the row that is locked, before anything else is read. */
  assert?: (before: Row, action: string) => void;
  /** What stands in the way, where what it wrote is to be kept although the action is refused. */
  objection?: (work: Work, id: string, input: never) => Promise<Conflict | null>;
  run: (work: Work, id: string, input: never) => Promise<unknown>;
  /** The facts that leave by it; `record`: those that the record carries. */
  carries?: 'record' | Route['carries'];
};

/** The fields that creation may set: all that are not marked readonly. */
type Settable<F extends Fields> = {
  [Name in keyof F as F[Name] extends z.ZodReadonly ? never : Name]: F[Name];
};
/** What a creation says once it is parsed, with the schema that `creation()` makes. */
export type CreateInput<F extends Fields, Hidden extends Fields> = z.output<
  z.ZodObject<Settable<F> & Hidden>
>;
/** What an update says: any part of that, less what is fixed. */
export type UpdateInput<F extends Fields, Hidden extends Fields, Fixed extends keyof F> = {
  [Name in Exclude<keyof CreateInput<F, Hidden>, Fixed>]?: CreateInput<F, Hidden>[Name] | undefined;
};

export type Declaration<
  F extends Fields,
  Hidden extends Fields = NoFields,
  Fixed extends keyof F & string = never,
> = {
  name: string;
  path: string;
  /** Groups the endpoints in the documentation; one of the areas. */
  area: string;
  table: Table;
  read: Role;
  write: Role;
  /** Which of the usual endpoints exist at the flat path. */
  offers: readonly StandardEndpoint[];
  fields: F;
  /** Fields that creation takes and no answer gives: secrets, full numbers. */
  writeOnly?: Hidden;
  /** Fields that creation sets and an update may not. */
  fixed?: readonly Fixed[];
  filters?: readonly (keyof F & string)[];
  sort?: { field: keyof F & string; descending: boolean };
  archivable?: boolean;
  audited?: boolean;
  nested?: Record<string, Nested>;
  actions?: Record<string, Action>;
  /** Creating looks its parent up by itself, and refuses as everywhere where there is none. */
  finds_parent?: boolean;
  /** What creating means when it is more than inserting; answers the id. */
  create?: (work: Work, input: NoInfer<CreateInput<F, Hidden>>) => Promise<string>;
  /** What stands in the way of that, where what it wrote is to be kept although it is refused. */
  objection?: (work: Work, input: NoInfer<CreateInput<F, Hidden>>) => Promise<Conflict | null>;
  update?: (
    work: Work,
    id: string,
    changes: NoInfer<UpdateInput<F, Hidden, Fixed>>,
    row: Row,
  ) => Promise<void>;
  remove?: (work: Work, id: string, row: Row) => Promise<void>;
  /** What of it a second person has to approve of, where the tenant wants that. */
  four_eyes?: { create?: ApprovalKind; update?: ApprovalKind; delete?: ApprovalKind };
  /** Which creations and changes that concerns; without it, all of them. */
  asks_if?: {
    create?: (call: Call) => Promise<boolean>;
    update?: (call: Call) => Promise<boolean>;
  };
  /** What of it grants power and so needs a recent proof. */
  needs_proof?: { create?: NeedsProof; update?: NeedsProof; delete?: NeedsProof };
  /** Which of the usual endpoints the security log is told of, and as what. */
  security_events?: Partial<Record<StandardEndpoint, string>>;
  /**
   * The facts that a record sends or selects by. A user who is denied one of them can neither create such
   * a record nor change one.
   */
  carries?: (record: Input) => 'anything' | readonly FactName[];
  /** Roles that differ from `read` and `write` for one endpoint. */
  roles?: Partial<Record<StandardEndpoint, Role>>;
};

/** A declaration whose fields are known only when it runs, as its routes are made of it. */
export type AnyDeclaration = Omit<
  Declaration<Fields>,
  'writeOnly' | 'fixed' | 'filters' | 'sort' | 'create' | 'objection' | 'update'
> & {
  writeOnly?: Fields;
  fixed?: readonly string[];
  filters?: readonly string[];
  sort?: { field: string; descending: boolean };
  create?: (work: Work, input: never) => Promise<string>;
  objection?: (work: Work, input: never) => Promise<Conflict | null>;
  update?: (work: Work, id: string, changes: never, row: Row) => Promise<void>;
};

export type Resource<Field extends string = string> = {
  /** Only for its type: the names of the fields, which a child is reached by. */
  field?: Field;
  declaration: AnyDeclaration;
  reply: z.ZodObject;
  /** What a creation may say: every field that the server does not set itself. */
  creation: z.ZodObject;
  version: Version;
  routes: Route[];
};

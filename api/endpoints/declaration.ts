import type { z } from 'zod';
import type { ApprovalKind } from '../../jobs/users/settings.ts';
import type { Work } from '../../jobs/work.ts';
import type { Row, Table } from '../../sql/table.ts';
import type { Allow, Role } from '../http/permissions.ts';
import type { Route } from './route.ts';
import type { Version } from '../http/versions.ts';

export type Fields = Record<string, z.ZodType>;
export type Input = Record<string, unknown>;
export type Offer = 'list' | 'read' | 'create' | 'update' | 'delete' | 'archive';
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
  security_event?: string;
  run: (work: Work, id: string, input: never) => Promise<unknown>;
};

export type Declaration<F extends Fields> = {
  name: string;
  path: string;
  /** Groups the endpoints in the documentation; one of the areas. */
  area: string;
  table: Table;
  read: Role;
  write: Role;
  /** Which of the usual endpoints exist at the flat path. */
  offers: readonly Offer[];
  fields: F;
  /** Fields that creation takes and no answer gives: secrets, full numbers. */
  writeOnly?: Fields;
  /** Fields that creation sets and an update may not. */
  fixed?: readonly (keyof F & string)[];
  filters?: readonly (keyof F & string)[];
  sort?: { field: keyof F & string; descending: boolean };
  archivable?: boolean;
  audited?: boolean;
  nested?: Record<string, Nested>;
  actions?: Record<string, Action>;
  /** What creating means when it is more than inserting; answers the id. */
  create?: (work: Work, input: never) => Promise<string>;
  update?: (work: Work, id: string, changes: never, row: Row) => Promise<void>;
  remove?: (work: Work, id: string, row: Row) => Promise<void>;
  /** What of it a second person has to approve of, where the tenant wants that. */
  four_eyes?: { create?: ApprovalKind; delete?: ApprovalKind };
  /** Which of the usual endpoints the security log is told of, and as what. */
  security_events?: Partial<Record<Offer, string>>;
  /** Roles that differ from `read` and `write` for one endpoint. */
  roles?: Partial<Record<Offer, Role>>;
};

export type Resource = {
  declaration: Declaration<Fields>;
  reply: z.ZodObject;
  /** What a creation may say: every field that the server does not set itself. */
  creation: z.ZodObject;
  version: Version;
  routes: Route[];
};

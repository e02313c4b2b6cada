import type { z } from 'zod';

export type ListDeclaration = {
  /** The unit in the Content-Range header. */
  name: string;
  fields: Record<string, z.ZodType>;
  filters: readonly string[];
  /** Filters with their own meaning, which do not compare a column. */
  special?: readonly string[];
  hasSearch: boolean;
  /** The fields that `q` searches. Default: all fields. */
  searched?: readonly string[];
  isArchivable: boolean;
  /** Default: newest first. */
  sort?: { field: string; descending: boolean };
  /** Fields hidden from this user. They can be neither filtered nor sorted by. */
  hidden?: ReadonlySet<string>;
};

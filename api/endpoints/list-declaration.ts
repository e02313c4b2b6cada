import type { z } from 'zod';
import type { FactName } from '../../jobs/facts.ts';
import type { SpecialValues } from '../../sql/table.ts';

export type ListDeclaration = {
  /** The unit in the Content-Range header. */
  name: string;
  fields: Record<string, z.ZodType>;
  filters: readonly string[];
  /** Filters with their own meaning, which do not compare a column, and the values that they accept. */
  special?: Readonly<Record<string, SpecialValues>>;
  hasSearch: boolean;
  /** The fields that `q` searches. Default: all fields. A user who may not see one of them cannot search. */
  searched?: readonly string[];
  /** Facts of other fields or resources that `q` also searches for users who may see them, as `loans.loan_number`. */
  also_searched?: readonly FactName[];
  isArchivable: boolean;
  /** Default: newest first. */
  sort?: { field: string; descending: boolean };
  /** Fields hidden from this user. They can be neither filtered nor sorted by. */
  hidden?: ReadonlySet<string>;
};

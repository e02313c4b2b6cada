import type { BookScope } from '../../../sql/books/export-rows.ts';

export type BookRequest = {
  scope: BookScope;
  /** Whether social security, identity and account numbers are written in full. Otherwise only their last digits. */
  with_personal_numbers: boolean;
  /** Whether the book of a servicing transfer has prices of sales, internal notes and officers. Other books have them. */
  with_internal_records: boolean;
};

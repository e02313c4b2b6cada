import type { BookScope } from '../../../sql/books/export-rows.ts';

export type BookRequest = {
  scope: BookScope;
  /** Whether social security, identity and account numbers are written in full. Otherwise only their last digits. */
  with_personal_numbers: boolean;
};

import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { sql } from './database/db.ts';

/** The most that one amount holds (app.money). */
export const AMOUNT_MAX = '9999999999999.99';

/**
 * What many amounts come to may be more. Such a sum stands in its column, or in a wide one beside it, so that each
 * figure stands once, and what processes of an earlier release have planned goes on.
 */
export const narrowSum = (total: SqlFragment) =>
  sql.fragment`case when abs(${total}) <= ${AMOUNT_MAX}::numeric then ${total} end`;
export const wideSum = (total: SqlFragment) =>
  sql.fragment`case when abs(${total}) > ${AMOUNT_MAX}::numeric then ${total} end`;

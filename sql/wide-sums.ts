import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { sql } from './database/db.ts';

export const AMOUNT_MAX = '9999999999999.99';

/**
 * A sum of many amounts may exceed app.money. It is stored either in its own column or in a wider one,
 * never in both, so that processes of an earlier release keep working.
 */
export const narrowSum = (total: SqlFragment) =>
  sql.fragment`case when abs(${total}) <= ${AMOUNT_MAX}::numeric then ${total} end`;
export const wideSum = (total: SqlFragment) =>
  sql.fragment`case when abs(${total}) > ${AMOUNT_MAX}::numeric then ${total} end`;

import { sql } from '../../database/db.ts';

/**
 * The loan's number (column `loan_number`) in the form of a credit file: letters and digits only, at most
 * 30.
 */
export const reportedNumber = sql.fragment`left(upper(regexp_replace(loan_number, '[^A-Za-z0-9]', '', 'g')), 30)`;

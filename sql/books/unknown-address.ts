import { sql } from '../database/db.ts';

/** What fills the address of a borrower when a book gives only a part of it, such as the state. */
export const UNKNOWN_ADDRESS = {
  street_line_1: 'Unknown',
  city: 'Unknown',
  postal_code: '00000',
} as const;

const { street_line_1, city, postal_code } = UNKNOWN_ADDRESS;

/** The parts of an address (`record`) that are known, in the columns of the short form of a book. */
export const knownParts = sql.fragment`
  nullif(record.street_line_1, ${street_line_1}) as borrower_street,
  nullif(record.city, ${city}) as borrower_city,
  nullif(record.postal_code, ${postal_code}) as borrower_postal_code,
  record.state as borrower_state`;

/** Whether a part of an address (`record`) is marked as unknown. */
export const isPartlyUnknown = sql.fragment`(
  record.street_line_1 = ${street_line_1} or record.city = ${city} or record.postal_code = ${postal_code})`;

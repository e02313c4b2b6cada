import { sql } from '../database/db.ts';

/** The lines of an address (a row of addresses or representatives), as printed on an envelope. */
export const envelopeLines = sql.fragment`
  jsonb_path_query_array(
    jsonb_build_array(
      street_line_1, nullif(street_line_2, ''),
      concat_ws(' ', city || case when state <> '' then ',' else '' end, state, postal_code),
      nullif(country, 'US')
    ),
    '$[*] ? (@ != null)'
  )
`;

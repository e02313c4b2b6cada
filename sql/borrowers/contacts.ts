import { sql } from '../database/db.ts';
import { table } from '../table.ts';

export const addresses = table({
  name: 'addresses',
  owner: 'borrowers',
  rows: sql.fragment`
    select record.id, record.borrower_id, record.address_type, record.street_line_1,
           record.street_line_2, record.city, record.state, record.postal_code, record.country,
           record.is_primary, record.address_indicator, record.residence_code,
           record.is_archived, record.created_at, record.updated_at
    from addresses as record
  `,
});

export const emails = table({
  name: 'emails',
  owner: 'borrowers',
  rows: sql.fragment`
    select record.id, record.borrower_id, record.email, record.email_type, record.is_primary,
           record.is_verified, record.verified_at, record.status, record.last_bounce_at,
           record.is_archived, record.created_at, record.updated_at
    from emails as record
  `,
});

export const phones = table({
  name: 'phones',
  owner: 'borrowers',
  rows: sql.fragment`
    select record.id, record.borrower_id, record.phone_number, record.phone_type,
           record.is_primary, record.is_verified, record.verified_at, record.can_sms,
           record.can_call, record.do_not_call, record.carrier_name, record.is_landline,
           record.time_zone, record.extension, record.status, record.is_archived,
           record.created_at, record.updated_at
    from phones as record
  `,
});

import { sql } from '../database/db.ts';
import { table } from '../table.ts';

export const legalReps = table({
  name: 'legal_reps',
  owner: 'borrowers',
  rows: sql.fragment`
    select record.id, record.borrower_id, record.representative_type, record.first_name,
           record.last_name, record.firm_name, record.email, record.phone, record.street_line_1,
           record.street_line_2, record.city, record.state, record.postal_code, record.country,
           record.bar_number, record.effective_date, record.end_date,
           record.authorization_document_id, record.contact_through_representative,
           record.is_active, record.is_archived, record.created_at, record.updated_at
    from legal_reps as record
  `,
});

export const isRepresentingNow = sql.fragment`
  rep.is_active and not rep.is_archived and rep.effective_date <= app.business_date()
  and (rep.end_date is null or rep.end_date >= app.business_date())
`;

import { sql } from '../database/db.ts';
import { containsPattern, table } from '../table.ts';

export const notes = table({
  name: 'notes',
  owner: null,
  rows: sql.fragment`
    select record.id, record.borrower_id, record.loan_id, record.subject, record.body,
           record.category, record.visibility, record.is_pinned, record.author_id,
           author.first_name || ' ' || author.last_name as author_name,
           record.created_at, record.updated_at
    from notes as record
    left join users as author on author.id = record.author_id
  `,
  search: (words) => sql.fragment`
    row.subject ilike ${containsPattern(words)} or row.body ilike ${containsPattern(words)}
  `,
});

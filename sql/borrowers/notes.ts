import { sql } from '../database/db.ts';
import { containsPattern, table } from '../table.ts';
import { hasTrigram } from './search.ts';

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
  search: (words, _may, filtered) => {
    const pattern = containsPattern(words);
    // The notes of one borrower or loan are few. Their own index finds them.
    const isNarrow = filtered.includes('borrower_id') || filtered.includes('loan_id');
    if (isNarrow || !hasTrigram(words))
      return sql.fragment`row.subject ilike ${pattern} or row.body ilike ${pattern}`;
    return sql.fragment`row.id in (select app.search_notes(${pattern}))`;
  },
});

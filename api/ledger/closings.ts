import { addDays } from '../../jobs/dates.ts';
import { closePeriod } from '../../jobs/ledger/close-period.ts';
import { closings as table } from '../../sql/ledger/closings.ts';
import { date, freeText, timestamp, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

export const closings = resource({
  name: 'PeriodClosing',
  path: 'ledger/closings',
  about: 'A day through which the books are closed.',
  area: 'ledger',
  table,
  read: 'viewer',
  write: 'admin',
  offers: ['list', 'read', 'create'],

  fields: {
    id: uuid.readonly(),
    closed_through: date.describe(
      'The last day to close. Must be before the business date and after the last closing.',
    ),
    description: freeText.nullish().describe('A text for the closing.'),
    closed_by: uuid.nullable().readonly().describe('The user who closed the books.'),
    created_at: timestamp.readonly(),
  },
  filters: ['closed_through'],

  example: (today) => ({ closed_through: addDays(today, -1) }),
  create: closePeriod,
});

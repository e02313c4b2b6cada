import { z } from 'zod';
import {
  applyChangeNotice,
  dismissChangeNotice,
} from '../../jobs/payments/nacha/change-notices.ts';
import { changeNotices as table } from '../../sql/payments/change-notices.ts';
import { date, timestamps, text, timestamp, uuid } from '../../sql/types.ts';
import { action, resource } from '../endpoints/resource.ts';

/** Banks' notifications of change (C01 and similar) for accounts that received entries. */
export const changeNotices = resource({
  name: 'ChangeNotice',
  path: 'change-notices',
  about:
    "A bank's notification that an account's details have changed (NOC). Apply or dismiss it by its due date.",
  area: 'payments',
  table,
  read: 'loan_officer',
  write: 'loan_officer',
  offers: ['list', 'read'],

  fields: {
    id: uuid.readonly(),
    nacha_entry_id: uuid.readonly(),
    payment_instrument_id: uuid.readonly(),
    borrower_id: uuid.readonly(),
    loan_id: uuid.readonly(),
    code: text.readonly(),
    trace_number: text.readonly(),
    received_on: date.readonly(),
    due_date: date.readonly().describe('Six banking days after we received the notice.'),
    corrected_routing_number: text.nullable().readonly(),
    corrected_account_number_last_four: text.nullable().readonly(),
    corrected_account_type: z.enum(['checking', 'savings']).nullable().readonly(),
    status: z.enum(['pending', 'applied', 'dismissed']).readonly(),
    decided_at: timestamp.nullable().readonly(),
    decided_by: uuid.nullable().readonly(),
    ...timestamps,
  },
  filters: ['payment_instrument_id', 'borrower_id', 'loan_id', 'code', 'status', 'due_date'],

  actions: {
    apply: action({
      allow: 'loan_officer',
      summary: "Apply the bank's correction to the account",
      description:
        'The account stays verified, and a block that waited for the correction is lifted. Answers 409 if the notice is decided or has no data to apply.',
      // Payouts go to the corrected account, which stays verified.
      four_eyes: 'destinations',
      run: applyChangeNotice,
    }),
    dismiss: action({
      allow: 'loan_officer',
      summary: 'Dismiss a change notice without a correction',
      description:
        'Use it if you corrected the account yourself, or the notice is about your own data. Answers 409 if the notice is decided.',
      run: dismissChangeNotice,
    }),
  },
});

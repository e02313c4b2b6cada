import { z } from 'zod';
import {
  applyChangeNotice,
  dismissChangeNotice,
  nothingToApply,
  accountChanged,
  noticeDecided,
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
    nacha_entry_id: uuid.readonly().describe('The entry that the notice is about.'),
    payment_instrument_id: uuid.readonly().describe('The account that the notice is about.'),
    borrower_id: uuid.readonly(),
    loan_id: uuid.readonly(),
    code: text.readonly().describe('The change code, such as C01.'),
    trace_number: text.readonly().describe('The trace number of the notice.'),
    received_on: date.readonly().describe('The business date on which it was processed.'),
    due_date: date.readonly().describe('Six banking days after we received the notice.'),
    corrected_routing_number: text
      .nullable()
      .readonly()
      .describe('The routing number that the bank gives.'),
    corrected_account_number_last_four: text
      .nullable()
      .readonly()
      .describe('The last four digits of the account number that the bank gives.'),
    corrected_account_type: z
      .enum(['checking', 'savings'])
      .nullable()
      .readonly()
      .describe('The account type that the bank gives.'),
    status: z
      .enum(['pending', 'applied', 'dismissed'])
      .readonly()
      .describe('Whether the notice was applied or dismissed.'),
    decided_at: timestamp.nullable().readonly().describe('When it was applied or dismissed.'),
    decided_by: uuid
      .nullable()
      .readonly()
      .describe('The user who decided it. Null if it was applied automatically.'),
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
      conflicts: () => [noticeDecided('applied'), nothingToApply(), accountChanged()],
      run: applyChangeNotice,
    }),
    dismiss: action({
      allow: 'loan_officer',
      summary: 'Dismiss a change notice without a correction',
      description:
        'Use it if you corrected the account yourself, or the notice is about your own data. Answers 409 if the notice is decided.',
      conflicts: () => [noticeDecided('dismissed')],
      run: dismissChangeNotice,
    }),
  },
});

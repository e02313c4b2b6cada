import { z } from 'zod';
import {
  addInstrument,
  changeInstrument,
  removeInstrument,
} from '../../jobs/borrowers/payment-instrument.ts';
import { isAdmin } from '../../jobs/users/assert-admin.ts';
import { isRoutingNumber } from '../../jobs/routing-number.ts';
import {
  DRAW_BLOCKERS,
  paymentInstruments as table,
} from '../../sql/borrowers/payment-instruments.ts';
import { lastFourDigits } from '../../sql/formatted-text.ts';
import { find } from '../../sql/table.ts';
import { flag, timestamps, text, timestamp, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';
import type { Call } from '../endpoints/route.ts';

/** Money may be paid out to an account once an admin has verified it. */
async function marksAsVerified({ work, params, body }: Call) {
  if ((body as { is_verified?: boolean }).is_verified !== true || !isAdmin(work)) return false;
  const row = await find(work.tx, table, params['id'] ?? '');
  return row?.['is_verified'] !== true;
}

export const paymentInstruments = resource({
  name: 'PaymentInstrument',
  path: 'payment-instruments',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update', 'archive'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid,
    instrument_type: z
      .enum(['bank_account', 'debit_card', 'check', 'cash', 'wire', 'external'])
      .default('bank_account'),
    account_holder_name: text.nullish(),
    bank_name: text.nullish(),
    routing_number: z
      .string()
      .max(9)
      .refine(isRoutingNumber, 'Must be nine digits that pass the ABA check.')
      .nullish(),
    account_number_last_four: lastFourDigits.nullish(),
    account_type: z.enum(['checking', 'savings', 'business_checking']).nullish(),
    card_brand: text.nullish(),
    card_exp_month: z.int().min(1).max(12).nullish(),
    card_exp_year: z.int().min(2000).max(2100).nullish(),
    is_default: flag.default(false),
    is_verified: flag
      .default(false)
      .describe('Only an admin can set this. It is ignored from other roles.'),
    verified_at: timestamp.nullable().readonly(),
    verification_method: z.enum(['micro_deposit', 'instant', 'manual', 'none']).default('none'),
    status: z.enum(['active', 'inactive', 'blocked']).default('active'),
    draw_blockers: z
      .array(z.enum(DRAW_BLOCKERS))
      .readonly()
      .describe(
        'What must be resolved before the borrower can pay from it. Empty if nothing. Staff may ' +
          'also draw on an account that is not verified.',
      ),
    last_return_code: text.nullable().readonly(),
    block_code: text
      .nullable()
      .readonly()
      .describe('The return code that caused the account to be blocked.'),
    is_archived: flag.readonly(),
    ...timestamps,
  },
  writeOnly: {
    account_number: z
      .string()
      .regex(/^\d{4,17}$/, 'Must be 4 to 17 digits.')
      .nullish()
      .describe('Stored encrypted. Responses contain only the last four digits.'),
    token: z.string().min(1).max(500).nullish().describe("The card's token at the processor."),
  },
  fixed: ['borrower_id'],
  filters: [
    'borrower_id',
    'instrument_type',
    'account_type',
    'is_default',
    'is_verified',
    'status',
    'is_archived',
  ],

  four_eyes: { create: 'destinations', update: 'destinations' },
  asks_if: { create: marksAsVerified, update: marksAsVerified },
  example: () => ({ routing_number: '021000021', account_number: '1234567890' }),
  create: addInstrument,
  update: changeInstrument,
  remove: removeInstrument,
});

import { z } from 'zod';
import {
  addInstrument,
  changeInstrument,
  removeInstrument,
  usedByAutopay,
  hasUnsentOrders,
  hasOpenOrders,
} from '../../jobs/borrowers/payment-instrument.ts';
import { isAdmin } from '../../jobs/users/assert-admin.ts';
import { isRoutingNumber } from '../../jobs/banks/routing-number.ts';
import {
  DRAW_BLOCKERS,
  paymentInstruments as table,
} from '../../sql/borrowers/payment-instruments.ts';
import { lastFourDigits } from '../../sql/formatted-text.ts';
import { find } from '../../sql/table.ts';
import { flag, timestamps, text, timestamp, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';
import type { Call } from '../endpoints/route.ts';
import { EXAMPLE_ID } from '../endpoints/examples.ts';

/** Money may be paid out to an account once an admin has verified it. */
async function marksAsVerified({ work, params, body }: Call) {
  if ((body as { is_verified?: boolean }).is_verified !== true || !isAdmin(work)) return false;
  const row = await find(work.tx, table, params['id'] ?? '');
  return row?.['is_verified'] !== true;
}

export const paymentInstruments = resource({
  name: 'PaymentInstrument',
  path: 'payment-instruments',
  about: 'A bank account or another way in which a borrower pays or receives money.',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'update', 'archive'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid,
    instrument_type: z
      .enum(['bank_account', 'debit_card', 'check', 'cash', 'wire', 'external'])
      .default('bank_account')
      .describe(
        'Only a `bank_account` can be drawn on or paid to. The others record how a borrower pays.',
      ),
    account_holder_name: text
      .nullish()
      .describe(
        'The name on the account, which ACH files contain. Default there: the name of the borrower.',
      ),
    bank_name: text.nullish().describe('The bank, for display.'),
    routing_number: z
      .string()
      .max(9)
      .refine(isRoutingNumber, 'Must be nine digits that pass the ABA check.')
      .nullish()
      .describe('The ABA routing number of nine digits. Needed to draw on or pay to the account.'),
    account_number_last_four: lastFourDigits
      .nullish()
      .describe('The last four digits, for display. Taken from `account_number` if that is given.'),
    account_type: z
      .enum(['checking', 'savings', 'business_checking'])
      .nullish()
      .describe('Whether the bank books to a checking or a savings account.'),
    card_brand: text.nullish().describe('The brand of the card, for display.'),
    card_exp_month: z
      .int()
      .min(1)
      .max(12)
      .nullish()
      .describe('The month in which the card expires.'),
    card_exp_year: z
      .int()
      .min(2000)
      .max(2100)
      .nullish()
      .describe('The year in which the card expires.'),
    is_default: flag
      .default(false)
      .describe(
        'Makes it the default instrument, instead of the present one. The first instrument is always the default.',
      ),
    is_verified: flag
      .default(false)
      .describe(
        'Whether money may be paid out to the account. Only an admin can set it; from other roles it is ignored. A change of the account resets it.',
      ),
    verified_at: timestamp.nullable().readonly().describe('When it was verified.'),
    verification_method: z
      .enum(['micro_deposit', 'instant', 'manual', 'none'])
      .default('none')
      .describe(
        'How the account was verified, for your records. A change of the account resets it.',
      ),
    status: z
      .enum(['active', 'inactive', 'blocked'])
      .default('active')
      .describe(
        'Only an `active` instrument can be used. The server sets `blocked` after some return codes; setting another status lifts the block.',
      ),
    draw_blockers: z
      .array(z.enum(DRAW_BLOCKERS))
      .readonly()
      .describe(
        'What must be resolved before the borrower can pay from it. Empty if nothing. Staff may ' +
          'also draw on an account that is not verified.',
      ),
    last_return_code: text
      .nullable()
      .readonly()
      .describe('The last return code of the bank for this account.'),
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
    'created_at',
  ],

  four_eyes: { create: 'destinations', update: 'destinations' },
  asks_if: { create: marksAsVerified, update: marksAsVerified },
  example: () => ({ routing_number: '021000021', account_number: '1234567890' }),
  conflicts: {
    update: () => [hasOpenOrders({ payment_ids: [EXAMPLE_ID] })],
    delete: () => [usedByAutopay(), hasUnsentOrders({ payment_ids: [EXAMPLE_ID] })],
  },
  create: addInstrument,
  update: changeInstrument,
  remove: removeInstrument,
});

import { z } from 'zod';
import { refusalsOfAction } from '../../jobs/loans/history/statuses.ts';
import { findDrawBlocker } from '../../jobs/loans/funding/disburse.ts';
import { draw } from '../../jobs/loans/funding/draws.ts';
import { DrawReversal, reverseDraw } from '../../jobs/loans/funding/reverse-draw.ts';
import {
  recordChanger,
  recordRefuser,
  immutableConflict,
} from '../../jobs/loans/history/loan-records.ts';
import { draws as table } from '../../sql/loans/funding/draws.ts';
import {
  date,
  externalId,
  freeText,
  integer,
  money,
  positiveMoney,
  rate,
  timestamps,
  uuid,
} from '../../sql/types.ts';
import { action, resource } from '../endpoints/resource.ts';
import { loanFacts } from './fields.ts';

export const draws = resource({
  name: 'Draw',
  path: 'draws',
  about: 'A payout from a line of credit.',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'update', 'delete'],
  conflicts: {
    create: () => refusalsOfAction('draws'),
    update: () => [immutableConflict('draw', 'completed')],
    delete: () => [immutableConflict('draw', 'completed')],
  },

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    ...loanFacts,
    draw_number: integer.readonly().describe('The number of the draw on this line.'),
    amount: positiveMoney.describe('The amount to draw, at most the available credit.'),
    draw_date: date
      .nullish()
      .describe('When the money goes out. Default: the business date. Must not be in the future.'),
    purpose: freeText.nullish().describe('What the money is for.'),
    payment_instrument_id: uuid
      .nullish()
      .describe(
        "The borrower's verified bank account. The next Nacha file pays the amount to it. Without it, you pay the money out yourself.",
      ),
    external_id: externalId.nullish(),
    fee_amount: money
      .nullish()
      .describe("The fee of this draw, also zero. Default: according to the product's fee rules."),
    status: z
      .enum(['pending', 'completed', 'failed', 'reversed'])
      .readonly()
      .describe('`completed` when booked, `failed` if the bank returned it, `reversed` by you.'),
    outstanding_principal: money.readonly().describe('The principal balance after the draw.'),
    interest_rate: rate.readonly().describe('The annual rate on that day.'),
    available_credit_after: money
      .readonly()
      .describe('The credit that was available after the draw.'),
    created_by: uuid.nullable().readonly(),
    ...timestamps,
  },
  fixed: ['loan_id', 'amount', 'draw_date', 'payment_instrument_id', 'fee_amount'],
  filters: ['loan_id', 'borrower_id', 'status', 'draw_date', 'external_id'],

  example: () => ({ amount: '100.00' }),
  create: draw,
  objection: findDrawBlocker,
  update: recordChanger({ table: 'draws', noun: 'draw', cancelable: [] }),
  remove: recordRefuser('draw'),
  four_eyes: { create: 'disbursements' },
  actions: {
    reverse: action({
      allow: 'loan_officer',
      summary: 'Reverse a draw',
      description:
        'Use it when the money never left or came back. Also reverses the fees of the draw and reapplies later payments. Answers 409 if the draw is already reversed.',
      conflicts: () => [immutableConflict('draw', 'reversed')],
      body: DrawReversal,
      four_eyes: 'reversals',
      run: reverseDraw,
    }),
  },
});

import { z } from 'zod';
import { findDisbursementBlocker } from '../../jobs/loans/funding/disburse.ts';
import { DISBURSEMENT_METHODS } from '../../jobs/loans/funding/first-disbursement.ts';
import { addDisbursement, PAYEE_TYPES } from '../../jobs/loans/funding/further-disbursements.ts';
import {
  DisbursementReversal,
  reverseDisbursement,
  laterEvents,
} from '../../jobs/loans/funding/reverse-disbursement.ts';
import {
  recordChanger,
  recordRefuser,
  immutableConflict,
} from '../../jobs/loans/history/loan-records.ts';
import { disbursements as table } from '../../sql/loans/funding/disbursements.ts';
import { date, money, positiveMoney, timestamps, text, uuid } from '../../sql/types.ts';
import { action, resource } from '../endpoints/resource.ts';
import { loanFacts } from './fields.ts';
import { refusalsOfAction } from '../../jobs/loans/history/statuses.ts';
import { disclosureOutdated } from '../../jobs/loans/funding/funding-disclosure.ts';

export const disbursements = resource({
  name: 'Disbursement',
  path: 'disbursements',
  about: "A payout of a loan's approved amount.",
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    ...loanFacts,
    amount: positiveMoney
      .nullish()
      .describe(
        'The amount to disburse, before deducted fees. Default: the remaining approved amount.',
      ),
    disbursement_date: date
      .nullish()
      .describe('When the money goes out. Default: the business date. Must not be in the future.'),
    method: z
      .enum(DISBURSEMENT_METHODS)
      .nullish()
      .describe(
        'How the money is paid out. With a payment instrument it must be `ach`, which is then the default. Otherwise it is for your records, by default `external`.',
      ),
    payment_instrument_id: uuid
      .nullish()
      .describe("The borrower's verified bank account. The next Nacha file pays the amount to it."),
    payee_name: text.nullish().describe('Who receives the money, for your records.'),
    payee_type: z
      .enum(PAYEE_TYPES)
      .default('borrower')
      .describe('What the payee is, for your records.'),
    reference_number: text.nullish().describe('Your reference, such as a wire or check number.'),
    fee_deducted: money.readonly().describe('Fees deducted from the proceeds.'),
    net_amount: money.readonly().describe('The amount actually paid out.'),
    status: z
      .enum(['pending', 'sent', 'completed', 'failed', 'reversed', 'canceled'])
      .readonly()
      .describe('`completed` when booked, `failed` if the bank returned it, `reversed` by you.'),
    journal_entry_id: uuid.nullable().readonly(),
    ...timestamps,
  },
  fixed: ['loan_id', 'amount', 'disbursement_date', 'method', 'payment_instrument_id'],
  filters: ['loan_id', 'borrower_id', 'status', 'method', 'disbursement_date', 'payee_type'],

  conflicts: {
    create: () => [
      ...refusalsOfAction('disburse'),
      disclosureOutdated({ current_status: 'approved', allowed_actions: ['disburse'] }),
    ],
    update: () => [immutableConflict('disbursement', 'completed')],
    delete: () => [immutableConflict('disbursement', 'completed')],
  },
  create: addDisbursement,
  objection: findDisbursementBlocker,
  update: recordChanger({ table: 'disbursements', noun: 'disbursement', cancelable: [] }),
  remove: recordRefuser('disbursement'),
  four_eyes: { create: 'disbursements' },
  actions: {
    reverse: action({
      allow: 'loan_officer',
      summary: 'Reverse a disbursement',
      description:
        'Use it when the money never left or came back. The loan returns to approved. Answers 409 if the loan has another disbursement or later events.',
      conflicts: () => [laterEvents({ current_status: 'active', event: 'payment' })],
      body: DisbursementReversal,
      four_eyes: 'reversals',
      run: reverseDisbursement,
    }),
  },
});

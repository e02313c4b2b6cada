import { z } from 'zod';
import {
  addServicingTransfer,
  transferFields,
  newTransferConflicts,
} from '../../jobs/portfolios/servicing-transfers/create-transfer.ts';
import { loanIds } from '../../jobs/portfolios/assign.ts';
import { addDays } from '../../jobs/dates.ts';
import {
  cancelServicingTransfer,
  cancelTransferConflicts,
} from '../../jobs/portfolios/servicing-transfers/execute-transfer.ts';
import {
  ForwardedPayments,
  forwardPayments,
  ForwardPayments,
  ReceivedPayments,
  ReceivedResult,
  recordReceivedPayments,
  servicedHere,
  servicedElsewhere,
} from '../../jobs/portfolios/servicing-transfers/misdirected-payments.ts';
import {
  recordNotices,
  RecordNotices,
  sendNotices,
  SendNotices,
  noticeConflicts,
} from '../../jobs/portfolios/servicing-transfers/send-notices.job.ts';
import * as tables from '../../sql/portfolios/servicing-transfers.ts';
import { date, flag, integer, money, text, timestamp, timestamps, uuid } from '../../sql/types.ts';
import { EXAMPLE_ID } from '../endpoints/examples.ts';
import { action, nested, resource } from '../endpoints/resource.ts';

const resourceDefaults = { area: 'portfolios', read: 'viewer', write: 'admin' } as const;

export const servicingTransferLoans = resource({
  ...resourceDefaults,
  name: 'ServicingTransferLoan',
  path: 'servicing-transfer-loans',
  about: 'A loan of a servicing transfer.',
  table: tables.servicingTransferLoans,
  offers: [],

  fields: {
    id: uuid.readonly(),
    servicing_transfer_id: uuid.readonly().describe('The transfer.'),
    loan_id: uuid.readonly(),
    loan_number: z.string().readonly().describe('The number of the loan.'),
    status: z
      .enum(['pending', 'transferred', 'left_out', 'canceled'])
      .readonly()
      .describe(
        '`pending` until the close of the effective date. `left_out`: the loan was closed before.',
      ),
    notice_status: z
      .enum(['none', 'waiting', 'sent', 'failed', 'not_required'])
      .readonly()
      .describe(
        'The letters to all who owe the loan. `failed`: a letter could not be sent, and a task says so. A loan leaves only after its letters.',
      ),
    notice_sent_on: date.nullable().readonly().describe('When the letters were sent.'),
    protected_from: date
      .nullable()
      .readonly()
      .describe(
        'The first day on which a payment that the old servicer received on time is not late.',
      ),
    protected_until: date.nullable().readonly().describe('The last such day.'),
    waives_late_fees: flag.readonly().describe('Whether no late fee is charged on these days.'),
    transferred_on: date.nullable().readonly().describe('When the loan was transferred.'),
    principal_balance: money
      .nullable()
      .readonly()
      .describe('The principal that the new servicer took over.'),
    accrued_interest: money.nullable().readonly().describe('The interest that it took over.'),
    outstanding_fees: money.nullable().readonly().describe('The fees that it took over.'),
    charge_off_balance: money
      .nullable()
      .readonly()
      .describe('The charged-off amount that it took over.'),
    suspense_balance: money.nullable().readonly().describe('The suspense that it took over.'),
    held_amount: money
      .readonly()
      .describe('Money that arrived here after the transfer, to be forwarded or returned.'),
    ...timestamps,
  },
  filters: ['loan_id', 'status', 'notice_status'],
});

export const misdirectedPayments = resource({
  ...resourceDefaults,
  name: 'MisdirectedPayment',
  path: 'misdirected-payments',
  about: 'Money that the wrong servicer received around a transfer, and where it went.',
  table: tables.misdirectedPayments,
  offers: [],

  fields: {
    id: uuid.readonly(),
    servicing_transfer_id: uuid.readonly().describe('The transfer.'),
    loan_id: uuid.readonly(),
    outcome: z
      .enum(['forwarded', 'returned', 'received'])
      .readonly()
      .describe(
        '`forwarded` to the new servicer, `returned` to the sender, or `received` from the previous servicer.',
      ),
    amount: money.readonly().describe('The amount.'),
    received_on: date
      .nullable()
      .readonly()
      .describe('When the previous servicer received it. Null for money that was sent on.'),
    recorded_on: date.readonly().describe('The business date of the record.'),
    payment_id: uuid.readonly().describe('The payment, or the refund that paid the money out.'),
    reference_number: text.nullable().readonly().describe('The reference of the transfer.'),
    waived_fee_count: integer.readonly().describe('Late fees that were waived because of it.'),
    created_by: uuid.nullable().readonly(),
    created_at: timestamp.readonly(),
  },
  filters: ['loan_id', 'outcome'],
});

export const servicingTransfers = resource({
  ...resourceDefaults,
  name: 'ServicingTransfer',
  path: 'servicing-transfers',
  about:
    'Loans whose servicing moves to another servicer, or came from one, with the letters and payments around it (12 CFR 1024.33).',
  table: tables.servicingTransfers,
  offers: ['list', 'read', 'create'],

  fields: {
    id: uuid.readonly(),
    ...transferFields,
    status: z
      .enum(['planned', 'completed', 'canceled'])
      .readonly()
      .describe('`planned` until all loans have left or were left out.'),
    notices_due_on: date
      .nullable()
      .readonly()
      .describe('The last day on which the letters are in time. Null: none are needed.'),
    notices_ordered_on: date.nullable().readonly().describe('When the letters were ordered.'),
    loan_count: integer.readonly().describe('How many loans it has.'),
    transferred_count: integer.readonly().describe('How many of them were transferred.'),
    notices_sent_count: integer.readonly().describe('For how many of them the letters were sent.'),
    notices_failed_count: integer
      .readonly()
      .describe('For how many of them a letter could not be sent.'),
    canceled_at: timestamp.nullable().readonly().describe('When it was canceled.'),
    created_by: uuid.nullable().readonly(),
    ...timestamps,
  },
  writeOnly: {
    loan_ids: loanIds
      .nullish()
      .describe('The loans, up to 10,000. Give either these or `portfolio_id`.'),
    portfolio_id: uuid
      .nullish()
      .describe('A portfolio, whose active and charged-off loans are transferred.'),
  },
  filters: ['direction', 'status', 'effective_date'],

  example: (today) => ({
    direction: 'out',
    effective_date: addDays(today, 20),
    servicer_name: 'Harbor Loan Services',
    servicer_address_line_1: '400 Harbor Street',
    servicer_address_line_2: 'Portland, ME 04101',
    servicer_phone: '+18005550142',
    loan_ids: [EXAMPLE_ID],
  }),
  conflicts: {
    create: () => newTransferConflicts(),
  },
  create: addServicingTransfer,
  nested: {
    loans: nested(servicingTransferLoans, 'servicing_transfer_id', ['list']),
    payments: nested(misdirectedPayments, 'servicing_transfer_id', ['list']),
  },
  actions: {
    'send-notices': action({
      allow: 'admin',
      summary: 'Send the letters of a servicing transfer',
      description:
        'Sends the goodbye or hello letter to all who owe the loans. Call it again to retry letters that failed. Answers 409 `notices_too_late` if goodbye letters would be late.',
      conflicts: noticeConflicts,
      body: SendNotices,
      run: sendNotices,
    }),
    'record-notices': action({
      allow: 'admin',
      summary: 'Record letters that you sent yourself',
      description:
        'Use it for loans whose letters cannot be sent from here, such as to the representative of an estate. These loans then count as notified on the business date.',
      body: RecordNotices,
      run: recordNotices,
    }),
    cancel: action({
      allow: 'admin',
      summary: 'Cancel a servicing transfer',
      description:
        'The loans stay. If letters were sent, tell the borrowers yourself. Answers 409 `already_transferred` once a loan has left.',
      conflicts: cancelTransferConflicts,
      run: cancelServicingTransfer,
    }),
    'forward-payments': action({
      allow: 'admin',
      summary: 'Send on payments for transferred loans',
      description:
        'Pays out the money that arrived here after the transfer, to the new servicer or back to the sender, and tells the borrowers where to pay.',
      conflicts: () => [servicedHere()],
      body: ForwardPayments,
      reply: ForwardedPayments,
      run: forwardPayments,
    }),
    'receive-payments': action({
      allow: 'admin',
      summary: 'Record payments that the previous servicer forwarded',
      description:
        'Each payment counts from the day on which the previous servicer received it, at the earliest from the boarding. Late fees are waived if a payment was on time.',
      conflicts: () => [servicedElsewhere()],
      body: ReceivedPayments,
      reply: ReceivedResult,
      run: recordReceivedPayments,
    }),
  },
});

import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { isInChunk, type LoanChunk } from '../loans/chunk.ts';
import { table } from '../table.ts';

/** A transfer with its state, which follows from its loans. */
export const servicingTransfers = table({
  name: 'servicing_transfers',
  owner: null,
  rows: sql.fragment`
    select record.id, record.direction, record.effective_date, record.servicer_name,
           record.servicer_address_line_1, record.servicer_address_line_2, record.servicer_phone,
           record.last_payment_date, record.first_payment_date, record.insurance_note,
           record.late_notice_reason, record.notices_due_on, record.notices_ordered_on, record.notes,
           case
             when record.canceled_at is not null then 'canceled'
             when record.direction = 'out' and loans.pending_count > 0 then 'planned'
             when record.effective_date > app.business_date() then 'planned'
             else 'completed'
           end as status,
           loans.loan_count, loans.transferred_count, loans.notices_sent_count,
           loans.notices_failed_count, record.canceled_at, record.created_by, record.created_at,
           record.updated_at
    from servicing_transfers as record
    cross join lateral (
      select count(*)::integer as loan_count,
             count(*) filter (where status = 'pending')::integer as pending_count,
             count(*) filter (where status = 'transferred')::integer as transferred_count,
             count(*) filter (where notice_status = 'sent')::integer as notices_sent_count,
             count(*) filter (where notice_status = 'failed')::integer as notices_failed_count
      from servicing_transfer_loans where servicing_transfer_id = record.id
    ) as loans
  `,
});

/** The loans of a transfer, with the money that is here although the other servicer should have it. */
export const servicingTransferLoans = table({
  name: 'servicing_transfer_loans',
  owner: null,
  rows: sql.fragment`
    select record.id, record.servicing_transfer_id, record.loan_id, loan.loan_number, record.status,
           record.notice_status, record.notice_sent_on, record.protected_from, record.protected_until,
           record.waives_late_fees, record.transferred_on, record.principal_balance,
           record.accrued_interest, record.outstanding_fees, record.charge_off_balance,
           record.suspense_balance,
           case when record.status = 'transferred' and loan.status = 'transferred'
             then loan.suspense_balance else 0.00 end as held_amount,
           record.created_at, record.updated_at
    from servicing_transfer_loans as record join loans as loan on loan.id = record.loan_id
  `,
});

export const misdirectedPayments = table({
  name: 'misdirected_payments',
  owner: null,
  rows: sql.fragment`
    select record.id, record.servicing_transfer_id, record.loan_id, record.outcome, record.amount,
           record.received_on, record.recorded_on, record.payment_id, record.reference_number,
           record.waived_fee_count, record.created_by, record.created_at
    from misdirected_payments as record
  `,
});

const Candidate = z.object({
  id: z.string(),
  loan_number: z.string(),
  status: z.string(),
  is_mortgage: z.boolean(),
  is_boarded: z.boolean(),
  /** The loan is in another transfer that is not over. */
  is_taken: z.boolean(),
});

/**
 * Locks the given loans, or those of a portfolio, in the order of their ids. A mortgage is an account of Metro 2
 * portfolio type M, or a loan secured by real estate.
 */
export const lockTransferLoans = (
  tx: Transaction,
  { loan_ids, portfolio_id }: { loan_ids: readonly string[] | null; portfolio_id: string | null },
  limit: number,
) =>
  tx.any(sql.type(Candidate)`
    select loan.id, loan.loan_number, loan.status,
           product.metro2_portfolio_type = 'M' or exists (
             select from collateral_items
             where loan_id = loan.id and collateral_type = 'real_estate'
           ) as is_mortgage,
           exists (select from loan_events where loan_id = loan.id and kind = 'boarding') as is_boarded,
           exists (
             select from servicing_transfer_loans
             where loan_id = loan.id and status = 'pending'
           ) as is_taken
    from loans as loan join products as product on product.id = loan.product_id
    where ${
      loan_ids
        ? sql.fragment`loan.id = any(${sql.array([...loan_ids], 'uuid')})`
        : sql.fragment`loan.portfolio_id = ${portfolio_id} and loan.status in ('active', 'charged_off')`
    }
    order by loan.id limit ${limit}
    for no key update of loan
  `);

type NewTransferLoan = {
  loan_id: string;
  notice_status: 'none' | 'not_required';
  protected_from: string | null;
  protected_until: string | null;
  waives_late_fees: boolean;
  is_mortgage: boolean;
  status: 'pending' | 'transferred';
  transferred_on: string | null;
};

export const addTransferLoans = (
  tx: Transaction,
  transferId: string,
  loans: readonly NewTransferLoan[],
) =>
  tx.query(sql.typeAlias('void')`
    insert into servicing_transfer_loans
      (servicing_transfer_id, loan_id, status, notice_status, protected_from, protected_until,
       waives_late_fees, is_mortgage, transferred_on)
    select ${transferId}, given.loan_id, given.status, given.notice_status, given.protected_from,
           given.protected_until, given.waives_late_fees, given.is_mortgage, given.transferred_on
    from jsonb_to_recordset(${JSON.stringify(loans)}::jsonb) as given (
      loan_id uuid, status text, notice_status text, protected_from date, protected_until date,
      waives_late_fees boolean, is_mortgage boolean, transferred_on date
    )
    order by given.loan_id
  `);

const Transfer = z.object({
  id: z.string(),
  direction: z.enum(['out', 'in']),
  effective_date: z.string(),
  servicer_name: z.string(),
  servicer_address_line_1: z.string(),
  servicer_address_line_2: z.string(),
  servicer_phone: z.string(),
  last_payment_date: z.string(),
  first_payment_date: z.string(),
  insurance_note: z.string().nullable(),
  late_notice_reason: z.string().nullable(),
  notices_due_on: z.string().nullable(),
  notices_ordered_on: z.string().nullable(),
  is_canceled: z.boolean(),
});
export type ServicingTransfer = z.output<typeof Transfer>;

const transferColumns = sql.fragment`
  transfer.id, transfer.direction, transfer.effective_date, transfer.servicer_name,
  transfer.servicer_address_line_1, transfer.servicer_address_line_2, transfer.servicer_phone,
  transfer.last_payment_date, transfer.first_payment_date, transfer.insurance_note,
  transfer.late_notice_reason, transfer.notices_due_on, transfer.notices_ordered_on,
  transfer.canceled_at is not null as is_canceled`;

export const lockTransfer = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Transfer)`
    select ${transferColumns} from servicing_transfers as transfer where id = ${id} for update
  `);

export const findTransfer = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Transfer)`
    select ${transferColumns} from servicing_transfers as transfer where id = ${id}
  `);

const LoanIds = z.object({ loan_id: z.string() });

/** The loans of a transfer in these states. */
export const listTransferLoans = (tx: Transaction, id: string, statuses: readonly string[]) =>
  tx.anyFirst(sql.type(LoanIds)`
    select loan_id from servicing_transfer_loans
    where servicing_transfer_id = ${id} and status = any(${sql.array([...statuses], 'text')})
    order by loan_id
  `);

/** Marks the notices as ordered. Returns how many loans need one. */
export async function orderNotices(tx: Transaction, id: string, day: string): Promise<number> {
  await tx.query(sql.typeAlias('void')`
    update servicing_transfers set notices_ordered_on = coalesce(notices_ordered_on, ${day}) where id = ${id}
  `);
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update servicing_transfer_loans set notice_status = 'waiting'
    where servicing_transfer_id = ${id} and notice_status in ('none', 'failed') and status <> 'canceled'
  `);
  return rowCount;
}

const Notice = z.object({
  id: z.string(),
  loan_id: z.string(),
  borrower_id: z.string(),
  has_autopay: z.boolean(),
  is_mortgage: z.boolean(),
  is_protected: z.boolean(),
});

/** Locks the next loans whose notice is ordered and not composed yet. */
export const lockWaitingNotices = (tx: Transaction, id: string, limit: number) =>
  tx.any(sql.type(Notice)`
    select part.id, part.loan_id, loan.borrower_id, part.is_mortgage,
           part.protected_from is not null as is_protected,
           exists (
             select from autopay_plans where loan_id = loan.id and status in ('active', 'paused')
           ) as has_autopay
    from servicing_transfer_loans as part join loans as loan on loan.id = part.loan_id
    where part.servicing_transfer_id = ${id} and part.notice_status = 'waiting'
    order by part.loan_id limit ${limit}
    for no key update of part
  `);

export const saveNotice = (
  tx: Transaction,
  partId: string,
  { status, day }: { status: 'sent' | 'failed'; day: string },
) =>
  tx.query(sql.typeAlias('void')`
    update servicing_transfer_loans
    set notice_status = ${status}, notice_sent_on = case when ${status} = 'sent' then ${day}::date end
    where id = ${partId}
  `);

/** Marks the letters of loans as sent. Returns how many loans needed one. */
export async function markNoticesSent(
  tx: Transaction,
  id: string,
  loanIds: readonly string[],
  day: string,
): Promise<number> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update servicing_transfer_loans
    set notice_status = 'sent', notice_sent_on = coalesce(notice_sent_on, ${day})
    where servicing_transfer_id = ${id} and loan_id = any(${sql.array([...loanIds], 'uuid')})
      and notice_status <> 'not_required'
  `);
  return rowCount;
}

/** Marks the transfer and its loans as canceled. */
export async function cancelTransfer(tx: Transaction, id: string) {
  await tx.query(sql.typeAlias('void')`
    update servicing_transfers set canceled_at = now() where id = ${id}
  `);
  await tx.query(sql.typeAlias('void')`
    update servicing_transfer_loans
    set status = 'canceled', protected_from = null, protected_until = null, waives_late_fees = false
    where servicing_transfer_id = ${id}
  `);
}

const Due = z.object({ id: z.string(), loan_id: z.string(), servicing_transfer_id: z.string() });

/** The chunk's loans that leave on or before its day. Loans whose borrower was not notified stay. */
export const dueTransfers = (chunk: LoanChunk) =>
  prepared(sql.type(Due)`
    select part.id, part.loan_id, part.servicing_transfer_id
    from servicing_transfer_loans as part
    join servicing_transfers as transfer on transfer.id = part.servicing_transfer_id
    where part.status = 'pending' and transfer.direction = 'out' and transfer.canceled_at is null
      and transfer.effective_date <= ${chunk.cob_date}
      and (part.notice_status in ('sent', 'not_required') or transfer.late_notice_reason is not null)
      and ${isInChunk(chunk, sql.fragment`part.loan_id`)}
    order by part.loan_id
  `);

export const lockPendingPart = (tx: Transaction, partId: string) =>
  tx.exists(sql.typeAlias('void')`
    select from servicing_transfer_loans where id = ${partId} and status = 'pending' for update
  `);

export type TransferredBalances = {
  principal_balance: string;
  accrued_interest: string;
  outstanding_fees: string;
  charge_off_balance: string;
  suspense_balance: string;
};

export const markTransferred = (
  tx: Transaction,
  partId: string,
  day: string,
  balances: TransferredBalances,
) =>
  tx.query(sql.typeAlias('void')`
    update servicing_transfer_loans
    set status = 'transferred', transferred_on = ${day},
        principal_balance = ${balances.principal_balance}, accrued_interest = ${balances.accrued_interest},
        outstanding_fees = ${balances.outstanding_fees}, charge_off_balance = ${balances.charge_off_balance},
        suspense_balance = ${balances.suspense_balance}
    where id = ${partId}
  `);

export const markLeftOut = (tx: Transaction, partId: string) =>
  tx.query(sql.typeAlias('void')`
    update servicing_transfer_loans set status = 'left_out' where id = ${partId}
  `);

/** Cancels the payments that were scheduled at this servicer. */
export const cancelScheduledPayments = (tx: Transaction, loanId: string) =>
  tx.query(sql.typeAlias('void')`
    update payments set status = 'canceled' where loan_id = ${loanId} and status = 'scheduled'
  `);

const Held = z.object({ loan_id: z.string(), amount: z.string() });

/** The transferred loans of a transfer for which money has arrived since. */
export const listHeldMoney = (tx: Transaction, id: string, loanIds: readonly string[] | null) =>
  tx.any(sql.type(Held)`
    select part.loan_id, loan.suspense_balance as amount
    from servicing_transfer_loans as part join loans as loan on loan.id = part.loan_id
    where part.servicing_transfer_id = ${id} and part.status = 'transferred'
      and loan.status = 'transferred' and loan.suspense_balance > 0
      and (${loanIds === null} or part.loan_id = any(${sql.array([...(loanIds ?? [])], 'uuid')}))
    order by part.loan_id
  `);

const Reference = z.object({ loan_id: z.string(), reference_number: z.string() });

/** The references of payments that the previous servicer has already forwarded. */
export const listReceivedReferences = (tx: Transaction, id: string) =>
  tx.any(sql.type(Reference)`
    select loan_id, reference_number from misdirected_payments
    where servicing_transfer_id = ${id} and outcome = 'received' and reference_number is not null
  `);

const LateFee = z.object({ fee_id: z.string() });

/** Late fees that were charged on days on which a transfer protects the loan, and are not waived. */
export const listProtectedLateFees = (tx: Transaction, loanId: string) =>
  tx.anyFirst(sql.type(LateFee)`
    select fee.id as fee_id
    from fees as fee
    where fee.loan_id = ${loanId} and fee.fee_type = 'late' and fee.waived_at is null and exists (
      select from servicing_transfer_loans as part
      where part.loan_id = fee.loan_id and part.waives_late_fees
        and fee.assessed_date between part.protected_from and part.protected_until + 1
    )
    order by fee.id
  `);

const Slice = z.object({ loan_id: z.string() });

/** The next loans of a transfer, in the order of their ids. */
export const listSlice = (tx: Transaction, id: string, after: string, limit: number) =>
  tx.anyFirst(sql.type(Slice)`
    select loan_id from servicing_transfer_loans
    where servicing_transfer_id = ${id} and loan_id > ${after} order by loan_id limit ${limit}
  `);

/** The servicer that has a transferred loan now. Null if the loan left with a sale. */
export const findNewServicer = (tx: Transaction, loanId: string) =>
  tx.maybeOne(sql.type(
    Transfer.pick({
      id: true,
      servicer_name: true,
      servicer_address_line_1: true,
      servicer_address_line_2: true,
      servicer_phone: true,
      effective_date: true,
    }),
  )`
    select transfer.id, transfer.servicer_name, transfer.servicer_address_line_1,
           transfer.servicer_address_line_2, transfer.servicer_phone, transfer.effective_date
    from servicing_transfer_loans as part
    join servicing_transfers as transfer on transfer.id = part.servicing_transfer_id
    where part.loan_id = ${loanId} and part.status = 'transferred' and transfer.direction = 'out'
    order by part.id desc limit 1
  `);

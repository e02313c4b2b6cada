import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';
import { chargeOffDateColumn } from './loan-facts.ts';

export const forms1099c = table({
  name: 'forms_1099c',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.loan_id, record.borrower_id, record.form_number, record.tax_year, record.status,
           record.is_corrected, record.corrects_form_id, record.was_sent, record.source,
           record.creditor_name, record.creditor_tin_last_four, record.creditor_address, record.creditor_phone,
           record.debtor_name, record.debtor_tin_last_four, record.tin_requested_on,
           record.debtor_address,
           record.account_number, record.identifiable_event_date, record.amount_discharged,
           record.interest_included, record.debt_description, record.personally_liable,
           record.identifiable_event_code, record.fair_market_value, record.notes,
           record.document_id, document.status as document_status,
           case when document.status = 'failed' then document.rejection_reason end
             as document_failure_reason,
           record.created_by, record.created_at, record.updated_at
    from forms_1099c as record
    left join documents as document on document.id = record.document_id
  `,
});

const InForce = z.object({
  id: z.string(),
  borrower_id: z.string(),
  form_number: z.string(),
  status: z.string(),
  source: z.string(),
  amount_discharged: z.string(),
  identifiable_event_date: z.string(),
  was_sent: z.boolean(),
  tin_requested_on: z.string().nullable(),
});
export type FormInForce = z.output<typeof InForce>;

/** The forms in force for the loan, event code and year, one per debtor: neither void nor corrected. */
export const lockFormsInForce = (tx: Transaction, loanId: string, code: string, year: number) =>
  tx.any(sql.type(InForce)`
    select id, borrower_id, form_number, status, source, amount_discharged, identifiable_event_date,
           was_sent, tin_requested_on
    from forms_1099c
    where loan_id = ${loanId} and identifiable_event_code = ${code} and tax_year = ${year}
      and status not in ('void', 'corrected')
    order by id for update
  `);

/** The co-borrowers who owed the loan on a day. */
export const listCoBorrowersOn = (tx: Transaction, loanId: string, day: string) =>
  tx.anyFirst(sql.type(z.object({ borrower_id: z.string() }))`
    select distinct borrower_id from co_borrowers
    where loan_id = ${loanId} and role = 'co_borrower' and liable_from <= ${day}
      and (released_on is null or (released_on > ${day} and release_reason <> 'entered_in_error'))
    order by borrower_id
  `);

/** Whether the person owes the loan or once owed it. */
export const wasDebtor = (tx: Transaction, loanId: string, borrowerId: string) =>
  tx.exists(sql.typeAlias('void')`
    select from loans where id = ${loanId} and borrower_id = ${borrowerId}
    union all
    select from co_borrowers
    where loan_id = ${loanId} and borrower_id = ${borrowerId}
      and release_reason is distinct from 'entered_in_error'
  `);

/** The numbers of the loan's manual forms that are in force. */
export const listManualFormNumbers = (tx: Transaction, loanId: string) =>
  tx.anyFirst(sql.type(z.object({ form_number: z.string() }))`
    select form_number from forms_1099c
    where loan_id = ${loanId} and source = 'manual' and status not in ('void', 'corrected')
    order by form_number
  `);

/** Whether the loan ever had a form. */
export const hasForms = (tx: Transaction, loanId: string) =>
  tx.exists(sql.typeAlias('void')`select from forms_1099c where loan_id = ${loanId}`);

/** Whether a form of the loan waits for the tenant's 1099-C settings. */
export const hasDraft = (tx: Transaction, loanId: string) =>
  tx.exists(sql.typeAlias('void')`
    select from forms_1099c where loan_id = ${loanId} and status = 'draft'
  `);

const Draft = z.object({
  loan_id: z.string(),
  borrower_id: z.string(),
  form_number: z.string(),
  tax_year: z.int(),
  account_number: z.string(),
  identifiable_event_code: z.string(),
  identifiable_event_date: z.string(),
  amount_discharged: z.string(),
  interest_included: z.string(),
  debt_description: z.string(),
  personally_liable: z.boolean(),
  is_corrected: z.boolean(),
  fair_market_value: z.string().nullable(),
  tin_requested_on: z.string().nullable(),
});
export type Draft = z.output<typeof Draft>;

/** The boxes of a form whose copy is not ordered yet. */
export const readDraft = (tx: Transaction, id: string) =>
  tx.one(sql.type(Draft)`
    select loan_id, borrower_id, form_number, tax_year, account_number, identifiable_event_code,
           identifiable_event_date, amount_discharged, interest_included, debt_description,
           personally_liable, is_corrected, fair_market_value, tin_requested_on
    from forms_1099c where id = ${id}
  `);

const Debtor = z.object({ name: z.string(), tin_last_four: z.string().nullable() });

export const readDebtor = (tx: Transaction, borrowerId: string) =>
  tx.one(sql.type(Debtor)`
    select first_name || ' ' || last_name as name, ssn_last_four as tin_last_four
    from borrowers where id = ${borrowerId}
  `);

const ChargeOff = z.object({
  charge_off_amount: z.string().nullable(),
  charged_off_on: z.string().nullable(),
});

export const readChargeOff = (tx: Transaction, loanId: string) =>
  tx.one(sql.type(ChargeOff)`
    select charge_off_amount, ${chargeOffDateColumn('loan')} as charged_off_on
    from loans as loan where loan.id = ${loanId}
  `);

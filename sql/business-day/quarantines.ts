import { z } from 'zod';
import { prepared, sql, deferred, type Transaction } from '../database/db.ts';
import { isInChunk, type LoanChunk } from '../loans/chunk.ts';

/** Quarantines a loan for which a step failed. The close continues without it. */
export const quarantine = (
  tx: Transaction,
  runId: string,
  loanId: string,
  step: string,
  error: string,
) =>
  tx.query(
    deferred(sql.typeAlias('void')`
    insert into cob_loan_errors (run_id, loan_id, step, error)
    values (${runId}, ${loanId}, ${step}, ${error.slice(0, 2000)})
    on conflict on constraint cob_loan_errors_once do update set error = excluded.error
  `),
  );

/** Loans of the chunk that the step quarantined in this run and that are still unresolved. */
export const findQuarantinedInChunk = (
  tx: Transaction,
  runId: string,
  step: string,
  chunk: LoanChunk,
) =>
  tx.anyFirst(
    prepared(sql.type(z.object({ loan_id: z.string() }))`
    select loan_id from cob_loan_errors
    where run_id = ${runId} and step = ${step} and resolved_at is null
      and ${isInChunk(chunk, sql.fragment`loan_id`)}
    order by loan_id
  `),
  );

export const resolveQuarantine = (tx: Transaction, runId: string, step: string, loanId: string) =>
  tx.query(
    deferred(sql.typeAlias('void')`
    update cob_loan_errors set resolved_at = now()
    where run_id = ${runId} and step = ${step} and loan_id = ${loanId}
  `),
  );

const QuarantinedLoan = z.object({
  loan_number: z.string(),
  loan_id: z.string(),
  cob_date: z.string(),
  step: z.string(),
  error: z.string(),
});

export const findQuarantinedLoans = (tx: Transaction, limit: number) =>
  tx.any(
    prepared(sql.type(QuarantinedLoan)`
    select loan.loan_number, loan.id as loan_id, run.cob_date, error.step, error.error
    from cob_loan_errors as error
    join cob_runs as run on run.id = error.run_id
    join loans as loan on loan.id = error.loan_id
    where error.resolved_at is null
    order by error.id limit ${limit}
  `),
  );

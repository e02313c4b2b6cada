import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { csvLine, type Cell } from '../../csv.ts';
import { sql, type Transaction } from '../../database/db.ts';
import { table } from '../../table.ts';
import { reportedNumber } from './reported-number.ts';

export const disputeAnswerFiles = table({
  name: 'credit_dispute_answer_files',
  owner: null,
  rows: sql.fragment`
    select record.id, record.bureau, record.answer_count, record.status, record.filename,
           record.file_size, record.sha256_hash, record.created_by, record.created_at,
           record.updated_at
    from credit_dispute_answer_files as record
  `,
});

/** Assigns every answer to the bureau that is not in a file yet. Returns their number. */
export async function assignAnswers(tx: Transaction, fileId: string, bureau: string) {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update credit_disputes set answer_file_id = ${fileId}
    where bureau = ${bureau} and acdv_control_number is not null and response_code is not null
      and answer_file_id is null and status in ('responded', 'closed')
  `);
  return rowCount;
}

export const countAnswerFiles = (tx: Transaction, bureau: string) =>
  tx.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*)::integer as count from credit_dispute_answer_files where bureau = ${bureau}
  `);

const AnswerFile = z.object({
  id: z.string(),
  status: z.string(),
  storage_key: z.string(),
  filename: z.string(),
});

export const readAnswerFile = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(AnswerFile)`
    select id, status, storage_key, filename from credit_dispute_answer_files where id = ${id}
  `);

export const pendingAnswerFileIds = (tx: Transaction) =>
  tx.anyFirst(sql.typeAlias('id')`
    select id from credit_dispute_answer_files where status = 'pending' order by id
  `);

const worded = (from: SqlFragment): Cell => ({ from, isWorded: true });
const code = (from: SqlFragment): Cell => ({ from, isWorded: false });

const CELLS = {
  control_number: worded(sql.fragment`dispute.acdv_control_number`),
  subscriber_code: worded(sql.fragment`coalesce(dispute.subscriber_code, '')`),
  account_number: worded(reportedNumber),
  response_code: code(sql.fragment`dispute.response_code`),
  responded_on: code(
    sql.fragment`(dispute.responded_at at time zone (
      select time_zone from tenants where id = app.current_tenant()
    ))::date`,
  ),
  compliance_condition_code: code(sql.fragment`coalesce(dispute.compliance_condition_code, '')`),
};

export const answerColumns = (correctable: readonly string[]) => [
  ...Object.keys(CELLS),
  ...correctable,
];

/**
 * The lines of the file. A corrected value is empty if the field stays as it is, and `none` if the field
 * becomes empty.
 */
export async function writeAnswerLines(
  tx: Transaction,
  fileId: string,
  correctable: readonly string[],
): Promise<string> {
  const corrected = correctable.map((name) =>
    worded(sql.fragment`
      case when dispute.corrected_values ? ${name}
        then coalesce(dispute.corrected_values ->> ${name}, 'none') else '' end
    `),
  );
  const lines = await tx.anyFirst(sql.type(z.object({ line: z.string() }))`
    select ${csvLine([...Object.values(CELLS), ...corrected])} as line
    from credit_disputes as dispute join loans as loan on loan.id = dispute.loan_id
    where dispute.answer_file_id = ${fileId}
    order by dispute.acdv_control_number, dispute.id
  `);
  return lines.join('');
}

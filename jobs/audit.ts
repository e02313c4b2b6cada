import * as trail from '../sql/audit.ts';
import { find, type Row, type Table } from '../sql/table.ts';
import type { Work } from './work.ts';

type Change = { old: unknown; new: unknown };

/** Fields whose values are masked: the audit trail shows that they changed, but not the values. */
const MASKED =
  /ssn|account_number|password|secret|identifier|token|tax_id|beneficial_owners|reviews/;

/** Derived columns. Their changes are not recorded. (`borrower_name` is recorded on the borrower.) */
const UNAUDITED_COLUMNS = new Set(['updated_at', 'allowed_actions', 'borrower_name']);

/**
 * Writes one audit row in the same transaction as the change. A change and its audit row are committed or
 * rolled back together.
 */
export async function recordAudit(
  { tx, actor }: Work,
  entity: { type: string; id: string; borrower_id?: unknown; loan_id?: unknown },
  action: string,
  changes: Record<string, Change>,
  reason?: string,
) {
  await trail.writeAuditEntry(tx, {
    entity_type: entity.type,
    entity_id: entity.id,
    borrower_id: stringOrNull(entity.borrower_id),
    loan_id: stringOrNull(entity.loan_id),
    action,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_email: actor.email,
    changes: actor.requested_by
      ? { ...changes, requested_by: { old: null, new: actor.requested_by.email } }
      : changes,
    reason: reason ?? null,
    request_id: actor.request_id,
    ip_address: actor.ip,
  });
}

/** Records that these rows lost their `is_primary` or `is_default` mark because another row took it. */
export async function recordDisplaced(
  work: Work,
  table: string,
  ids: readonly string[],
  mark: 'is_primary' | 'is_default',
  owner: { borrower_id?: string } = {},
) {
  for (const id of ids) {
    const changes = { [mark]: { old: true, new: false } };
    await recordAudit(work, { type: table, id, ...owner }, 'update', changes);
  }
}

/**
 * Runs the steps and records the difference between `before` and the row afterwards. Read `before` under
 * the row's lock (`findLocked`); otherwise the audit entry could include another user's change. Returns the
 * changed row.
 */
export async function auditChange(
  work: Work,
  table: Table,
  action: string,
  before: Row | null,
  steps: () => Promise<string>,
  reason?: string,
): Promise<Row> {
  const { row, changes } = await runAndDiff(work, table, before, steps);
  // The audit trail of a confidential record keeps no words about the borrower.
  const kept = table.isConfidential ? undefined : reason;
  await recordAudit(work, auditedEntity(table, row), action, changes, kept);
  return row;
}

/**
 * Like `auditChange`, for an update. Writes nothing if no column differs, unless `isHidden` is true: a
 * write-only value may have changed without a visible difference.
 */
export async function auditUpdate(
  work: Work,
  table: Table,
  before: Row,
  steps: () => Promise<string>,
  { isHidden }: { isHidden: boolean },
): Promise<Row> {
  const { row, changes } = await runAndDiff(work, table, before, steps);
  const isTold = isHidden || Object.keys(changes).length > 0;
  if (isTold) await recordAudit(work, auditedEntity(table, row), 'update', changes);
  return row;
}

async function runAndDiff(
  work: Work,
  table: Table,
  before: Row | null,
  steps: () => Promise<string>,
) {
  const id = await steps();
  const after = await find(work.tx, table, id);
  const row = after ?? before;
  if (row === null) throw new Error(`The ${table.name} row ${id} vanished in its own transaction.`);
  return { row, changes: differences(before, after, table.secret) };
}

/**
 * Loans and borrowers reference themselves. All other records reference their `loan_id` and `borrower_id`.
 */
function auditedEntity({ name, isConfidential }: Table, row: Row) {
  if (isConfidential) return { type: name, id: row.id };
  return {
    type: name,
    id: row.id,
    borrower_id: name === 'borrowers' ? row.id : row['borrower_id'],
    loan_id: name === 'loans' ? row.id : row['loan_id'],
  };
}

export function differences(
  before: Row | null,
  after: Row | null,
  secret: readonly string[] = [],
): Record<string, Change> {
  const changes: Record<string, Change> = {};
  for (const field of new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])) {
    const change = { old: before?.[field] ?? null, new: after?.[field] ?? null };
    if (UNAUDITED_COLUMNS.has(field) || JSON.stringify(change.old) === JSON.stringify(change.new))
      continue;
    changes[field] =
      MASKED.test(field) || secret.includes(field)
        ? { old: maskValue(change.old), new: maskValue(change.new) }
        : change;
  }
  return changes;
}

const maskValue = (value: unknown) => (value === null ? null : '***');
const stringOrNull = (value: unknown) => (typeof value === 'string' ? value : null);

import { borrowers } from '../../sql/borrowers/borrowers.ts';
import { templates } from '../../sql/communications/templates.ts';
import { programs } from '../../sql/loans/products/programs.ts';
import { paymentInstruments } from '../../sql/borrowers/payment-instruments.ts';
import { sftpServers } from '../../sql/documents/sftp-servers.ts';
import { dictionary } from '../../sql/dictionary.ts';
import { loans } from '../../sql/loans/loans.ts';
import { payments } from '../../sql/payments/payments.ts';
import { investors } from '../../sql/portfolios/investors.ts';
import { portfolios } from '../../sql/portfolios/portfolios.ts';
import { servicingTransfers } from '../../sql/portfolios/servicing-transfers.ts';
import { find, findLocked, type Row, type Table } from '../../sql/table.ts';
import { lockApprovedRecord, sealedValues } from '../../sql/users/approved-records.ts';
import { users } from '../../sql/users/users.ts';
import type { Work } from '../work.ts';

/**
 * A snapshot of the records that a request refers to, taken when the request is made: one entry per record,
 * with its fields.
 */
export type ApprovalContent = Record<string, unknown>;

/** The path and body of a request. `record` is the table that {id} in the path refers to. */
export type ApprovalTarget = {
  record?: Table | undefined;
  params: Record<string, string>;
  body: unknown;
};

/**
 * Maps the id fields of a request body to their tables. Must contain every such field of an approvable
 * action.
 */
export const LINKED_TABLES = dictionary<Table>({
  borrower_id: borrowers,
  loan_id: loans,
  payment_id: payments,
  payment_instrument_id: paymentInstruments,
  user_id: users,
  member_ids: users,
  investor_id: investors,
  sftp_server_id: sftpServers,
  portfolio_id: portfolios,
  servicing_transfer_id: servicingTransfers,
  program_id: programs,
  response_template_id: templates,
});

/**
 * The fields of each record that an approval covers. A table without a list is covered completely, except
 * for its timestamps. Tables whose rows change daily without user action need a list.
 */
const APPROVED = dictionary<readonly string[]>({
  auto_responses: [
    'name',
    'channel',
    'match_type',
    'keywords',
    'pattern',
    'response_template_id',
    'response_subject',
    'response_body',
    'action',
    'forward_to',
    'program_id',
    'is_active',
  ],
  borrowers: ['first_name', 'last_name'],
  change_notices: [
    'loan_id',
    'payment_instrument_id',
    'code',
    'corrected_routing_number',
    'corrected_account_number_last_four',
    'corrected_account_type',
    'status',
  ],
  communication_templates: ['name', 'subject', 'body', 'is_active'],
  disbursements: ['loan_id', 'amount', 'net_amount', 'disbursement_date', 'method', 'payee_name'],
  draws: ['loan_id', 'amount', 'draw_date', 'purpose', 'payment_instrument_id'],
  identity_providers: [
    'name',
    'issuer_url',
    'client_id',
    'redirect_url',
    'role_claim',
    'roles',
    'adds_users',
    'trusts_amr',
    'is_active',
  ],
  investors: ['name', 'legal_name', 'is_active'],
  loan_tape_configs: [
    'name',
    'portfolio_id',
    'format',
    'columns',
    'filters',
    'schedule',
    'is_active',
    'delivery',
    'recipients',
    'attach_file',
    'sftp_server_id',
  ],
  loans: [
    'loan_number',
    'borrower_id',
    'principal_amount',
    'interest_rate',
    'term_months',
    'payment_frequency',
  ],
  payment_instruments: [
    'borrower_id',
    'instrument_type',
    'account_holder_name',
    'bank_name',
    'routing_number',
    'account_number_last_four',
    'account_type',
    'is_verified',
    'is_archived',
  ],
  payments: [
    'loan_id',
    'receipt_number',
    'amount',
    'payment_date',
    'effective_date',
    'payment_type',
    'payment_method',
  ],
  portfolios: ['name'],
  programs: ['name'],
  service_credits: ['loan_id', 'amount', 'credit_type', 'effective_date'],
  suspense_applications: ['loan_id', 'amount', 'effective_date', 'payment_type'],
  users: ['email', 'first_name', 'last_name', 'tenant_role', 'is_active', 'borrower_id'],
  webhook_subscriptions: ['url', 'events', 'is_active'],
});
const STAMPS = new Set(['id', 'created_at', 'updated_at']);

/** The owner of a record is included in the snapshot. */
const OWNERS = dictionary<Table>({ loan_id: loans, borrower_id: borrowers, user_id: users });

/**
 * A disbursement without an amount pays the rest of the loan, so the snapshot must include the amount
 * already disbursed.
 */
const isWhole = ({ record, body }: ApprovalTarget) =>
  record?.name === 'loans' && !(body as { amount?: unknown } | null)?.amount;

export type ReferencedRecord = { name: string; table: Table; id: string; isOwn: boolean };

/**
 * The records that a request refers to: the record of its path (`isOwn`, locked by the action itself) and
 * the records in its body.
 */
export function referencedRecords({ record, params, body }: ApprovalTarget): ReferencedRecord[] {
  const own = record && params['id'] ? [toReferencedRecord(record, params['id'], true)] : [];
  const named = Object.entries((body ?? {}) as Record<string, unknown>).flatMap(
    ([field, value]) => {
      const table = LINKED_TABLES[field];
      if (table === undefined) return [];
      const ids = (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'string');
      const name = field.replace(/_ids?$/, '');
      return ids.map((id, at) => ({
        ...toReferencedRecord(table, id, false),
        name: Array.isArray(value) ? `${name}_${at + 1}` : name,
      }));
    },
  );
  return [...own, ...named];
}

const toReferencedRecord = (table: Table, id: string, isOwn: boolean): ReferencedRecord => ({
  name: table.name.replace(/ies$/, 'y').replace(/s$/, ''),
  table,
  id,
  isOwn,
});

/**
 * Reads and locks the records of a request until the transaction ends. Sealed numbers appear as keyed
 * fingerprints. `known` contains the fingerprints of the stored snapshot, which may have been made with an
 * older key.
 */
export async function readContent(
  work: Work,
  asked: ApprovalTarget,
  known: ReadonlySet<string> = new Set(),
) {
  const content: ApprovalContent = {};
  for (const { name, table, id, isOwn } of referencedRecords(asked)) {
    if (!isOwn) await lockApprovedRecord(work.tx, table, id);
    const row = isOwn ? await findLocked(work.tx, table, id) : await find(work.tx, table, id);
    content[name] = row && (await snapshotRecord(work, table, row, known));
    if (isOwn && row && isWhole(asked))
      Object.assign(content[name] as object, { disbursed_amount: row['disbursed_amount'] });
  }
  return content;
}

async function snapshotRecord(
  work: Work,
  table: Table,
  row: Row,
  known: ReadonlySet<string>,
): Promise<ApprovalContent> {
  const fields = APPROVED[table.name] ?? Object.keys(row).filter((name) => !STAMPS.has(name));
  const shown: ApprovalContent = Object.fromEntries(
    fields.map((name) => [name, row[name] ?? null]),
  );
  for (const { column, sealed } of await sealedValues(work.tx, table, row.id)) {
    const text = work.installation.keys.unseal(work.tenant_id, sealed);
    const prints = work.installation.keys
      .indexes(work.tenant_id, text)
      .map((one) => one.slice(0, 32));
    const name = `${column.replace(/_sealed$/, '')}_fingerprint`;
    shown[name] = prints.find((one) => known.has(one)) ?? prints[0];
  }
  for (const [field, owners] of Object.entries(OWNERS)) {
    const id = shown[field];
    if (typeof id !== 'string' || owners === undefined) continue;
    const owner = await find(work.tx, owners, id);
    shown[field.replace(/_id$/, '')] = owner && (await snapshotRecord(work, owners, owner, known));
  }
  return shown;
}

/** All fingerprints in a stored snapshot. */
export const extractFingerprints = (content: unknown): ReadonlySet<string> =>
  new Set(
    flattenFields(content).flatMap(([path, value]) =>
      path.endsWith('_fingerprint') && typeof value === 'string' ? [value] : [],
    ),
  );

/**
 * The paths of the fields that differ between two snapshots, such as `payment_instrument.routing_number`.
 */
export function findChangedFields(before: unknown, after: unknown): string[] {
  const [old, now] = [new Map(flattenFields(before)), new Map(flattenFields(after))];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((path) => JSON.stringify(old.get(path)) !== JSON.stringify(now.get(path)))
    .toSorted();
}

/** Each field with its path. A list counts as one value, and so does a missing record. */
function flattenFields(value: unknown, path = ''): [path: string, value: unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [[path, canonicalize(value)]];
  return Object.entries(value).flatMap(([name, inner]) =>
    flattenFields(inner, path === '' ? name : `${path}.${name}`),
  );
}

/** Sorts keys at every level, so that equal values have equal JSON. */
export function canonicalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalize);
  if (typeof value !== 'object' || value === null) return value ?? null;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, canonicalize(inner)]),
  );
}

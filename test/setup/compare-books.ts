import pg from 'pg';
import { updateAgreed } from '../../jobs/loans/history/record-events.ts';
import { createWithin, SYSTEM } from '../../jobs/work.ts';
import { openPool, sql } from '../../sql/database/db.ts';

/** Columns that are never the same in two tenants: ids, times of recording, and users. */
const NEVER = [
  'id',
  'tenant_id',
  'loan_id',
  'borrower_id',
  'created_at',
  'updated_at',
  'collateral_id',
  'applied_at',
  'broken_at',
  'completed_at',
  'fulfilled_at',
  'created_by',
  'requested_by',
  'approved_by',
  'event_id',
  'event_ids',
  'uploaded_by',
];

type Comparison = {
  /** Rows with a `key` that is the same in both tenants, and the row itself as `row`. */
  from: string;
  without?: readonly string[];
};

const ofLoan = (table: string, where = 'true') =>
  `select loan.loan_number as key, to_jsonb(row) as row from ${table} as row
   join loans as loan on loan.tenant_id = row.tenant_id and loan.id = row.loan_id
   where row.tenant_id = $1 and loan.status not in ('denied', 'canceled') and ${where}`;
const ofBorrower = (table: string, where = 'true') =>
  `select coalesce(person.external_id, person.id::text) as key, to_jsonb(row) as row from ${table} as row
   join borrowers as person on person.tenant_id = row.tenant_id and person.id = row.borrower_id
   where row.tenant_id = $1 and ${where}`;

/** What an exported and imported book must have in common with its source. */
const COMPARED: Record<string, Comparison> = {
  loans: {
    from: `select loan_number as key, to_jsonb(row) || jsonb_build_object(
             'has_portfolio', row.portfolio_id is not null, 'frozen_on', row.frozen_at::date,
             'charged_off_on', row.charged_off_at::date, 'paid_off_on', row.paid_off_at::date,
             'payment_day', coalesce(row.payment_day, extract(day from row.first_payment_date)),
             'terms', row.terms - array['gl_map', 'previous_gl_maps', 'sold_on']) as row
           from loans as row where tenant_id = $1 and status not in ('denied', 'canceled')`,
    without: [
      'program_id',
      'product_id',
      'portfolio_id',
      'loan_officer_id',
      'schedule_version',
      'metadata',
      'frozen_at',
      'accelerated_at',
      'paid_off_at',
      'charged_off_at',
      'approved_at',
      // In the target, all months so far are those of a previous servicer.
      'payment_history_profile',
      // A funded loan no longer needs them.
      'approved_on',
      'rescission_ends',
      'expected_disbursement_date',
      'agreed_first_payment_date',
    ],
  },
  schedule: {
    from: ofLoan('installments', 'row.version = loan.schedule_version'),
    without: ['version', 'reason'],
  },
  outlook: { from: ofLoan('loan_outlook') },
  payments: {
    from: ofLoan(
      'payments',
      `row.status in ('completed', 'settled', 'reversed', 'returned', 'scheduled')`,
    ),
    without: [
      'receipt_number',
      'posted_at',
      'settled_at',
      'reversed_at',
      'reversed_by',
      'failed_at',
      'send_by',
      'payment_instrument_id',
      'autopay_plan_id',
      'payment_plan_id',
      'consent_id',
      'coverage',
      'allocations',
    ],
  },
  fees: {
    from: ofLoan('fees'),
    without: ['fee_rule_id', 'payment_id', 'waived_at', 'waived_by', 'draw_id'],
  },
  draws: { from: ofLoan('draws'), without: ['payment_instrument_id'] },
  forbearances: { from: ofLoan('forbearances'), without: ['hardship_application_id'] },
  deferments: { from: ofLoan('deferments') },
  promotions: { from: ofLoan('loan_promotions') },
  rate_caps: { from: ofLoan('loan_rate_caps') },
  modifications: {
    // The import states the payment day, also where it follows from the first due date.
    from: ofLoan('modifications').replace(
      'to_jsonb(row)',
      `to_jsonb(row) || jsonb_build_object('previous_terms', row.previous_terms - 'payment_day',
         'new_terms', row.new_terms - 'payment_day')`,
    ),
    without: ['document_id'],
  },
  payment_plans: { from: ofLoan('payment_plans'), without: ['payment_instrument_id'] },
  promises: { from: ofLoan('promises_to_pay') },
  late_fee_exemptions: { from: ofLoan('late_fee_exemptions'), without: ['fee_rule_id'] },
  service_credits: { from: ofLoan('service_credits') },
  suspense_applications: { from: ofLoan('suspense_applications') },
  assignments: {
    from: ofLoan('loan_assignments', `row.status in ('pending', 'active')`),
    without: ['investor_id', 'portfolio_id', 'settlement_instrument_id', 'journal_entry_ids'],
  },
  co_borrowers: { from: ofLoan('co_borrowers', 'row.released_on is null') },
  collateral: { from: ofLoan('collateral_items', 'not row.is_archived') },
  autopay: {
    from: ofLoan('autopay_plans', `row.status in ('active', 'paused')`),
    without: [
      'payment_instrument_id',
      'backup_payment_instrument_id',
      'consent_id',
      'last_payment_id',
    ],
  },
  notes: { from: ofBorrower('notes'), without: ['author_id', 'body'] },
  cases: {
    from: ofBorrower('support_cases', 'not row.opened_in_error'),
    without: [
      'case_number',
      'assigned_to',
      'source',
      'document_ids',
      'first_response_at',
      'last_message_at',
      'resolved_at',
      'closed_at',
      'awaits_answer',
    ],
  },
  legal_conditions: { from: ofBorrower('legal_conditions'), without: ['case_id'] },
  documents: {
    from: ofLoan('documents', `row.status in ('uploaded', 'verified') and not row.is_archived`),
    without: [
      'storage_key',
      'uploaded_at',
      'source',
      'template',
      'template_data',
      'status',
      'page_count',
      'language',
      'metadata',
      'expires_at',
      'verified_at',
      'verified_by',
    ],
  },
  borrowers: {
    from: `select coalesce(external_id, id::text) as key, to_jsonb(row) as row from borrowers as row
           where tenant_id = $1 and redacted_at is null`,
    without: ['external_id'],
  },
  addresses: { from: ofBorrower('addresses', 'not row.is_archived') },
  emails: {
    from: ofBorrower('emails', 'not row.is_archived'),
    without: ['verified_at', 'is_verified', 'last_bounce_at'],
  },
  phones: {
    from: ofBorrower('phones', 'not row.is_archived'),
    without: ['verified_at', 'is_verified'],
  },
  consents: { from: ofBorrower('borrower_consents'), without: ['document_id'] },
  identities: {
    from: ofBorrower('borrower_identities', 'not row.is_archived'),
    without: ['identifier_sealed', 'identifier_index', 'verified_at', 'verified_by', 'document_id'],
  },
  bank_accounts: {
    from: ofBorrower('payment_instruments', 'not row.is_archived'),
    without: ['account_number_sealed', 'account_number_index', 'verified_at'],
  },
  trial_balance: {
    from: `select account.code as key, jsonb_build_object('balance', sum(line.debit - line.credit)) as row
           from posted_lines as line join ledger_accounts as account
             on account.tenant_id = line.tenant_id and account.id = line.account_id
           where line.tenant_id = $1 group by account.code having sum(line.debit - line.credit) <> 0`,
  },
};

type Found = { key: string; row: Record<string, unknown> };

export type BookDifferences = {
  /** How many rows of each kind the source has. */
  rows: Record<string, number>;
  /** A line for each row that only one of the tenants has. */
  differences: string[];
};

/** Compares an imported book with its source. Both tenants are in one database. */
export async function compareBooks(url: string, source: string, target: string) {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  try {
    const idOf = async (slug: string) =>
      String((await owner.query('select id from tenants where slug = $1', [slug])).rows[0].id);
    const [one, other] = [await idOf(source), await idOf(target)];
    await recalculate(url, [one, other]);
    // People of the target who did not come with the book.
    const people = await owner.query<{ id: string }>(
      'select id from borrowers where tenant_id = $1 and external_id is null',
      [other],
    );
    const ownPeople = new Set(people.rows.map(({ id }) => id));
    const result: BookDifferences = { rows: {}, differences: [] };
    for (const [name, { from, without = [] }] of Object.entries(COMPARED)) {
      const read = async (id: string) =>
        (await owner.query<Found>(from, [id])).rows
          .filter(({ key }) => !ownPeople.has(key))
          .map((found) => toText(found, without))
          .toSorted();
      const [here, there] = [await read(one), await read(other)];
      result.rows[name] = here.length;
      const missing = removeAll(here, there);
      const added = removeAll(there, here);
      result.differences.push(...explain(name, missing, added));
    }
    return result;
  } finally {
    await owner.end();
  }
}

function toText({ key, row }: Found, without: readonly string[]) {
  const left = Object.entries(row)
    .filter(([name]) => !NEVER.includes(name) && !without.includes(name))
    // Files have milliseconds.
    .map(([name, value]): [string, unknown] => [
      name,
      typeof value === 'string'
        ? value.replace(/(\d{2}:\d{2}:\d{2})\.\d+(?=\+00:00$)/, '$1')
        : value,
    ])
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([key, Object.fromEntries(left)]);
}

/** The texts without those of another list, each once. */
function removeAll(texts: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of others) counts.set(text, (counts.get(text) ?? 0) + 1);
  return texts.filter((text) => {
    const count = counts.get(text) ?? 0;
    counts.set(text, count - 1);
    return count <= 0;
  });
}

/** Rows with the same key are compared column by column. */
function explain(name: string, missing: readonly string[], added: string[]): string[] {
  const lines: string[] = [];
  for (const text of missing) {
    const [key, row] = JSON.parse(text) as [string, Record<string, unknown>];
    const at = added.findIndex((one) => (JSON.parse(one) as [string])[0] === key);
    if (at < 0) {
      lines.push(`${name} ${key}: only the source has ${JSON.stringify(row)}`);
      continue;
    }
    const [, other] = JSON.parse(added.splice(at, 1)[0] ?? '') as [string, typeof row];
    const columns = Object.keys(row).filter(
      (column) => JSON.stringify(row[column]) !== JSON.stringify(other[column]),
    );
    for (const column of columns)
      lines.push(
        `${name} ${key}: ${column} is ${JSON.stringify(row[column])} and ${JSON.stringify(other[column])}`,
      );
  }
  for (const text of added) lines.push(`${name}: only the target has ${text}`);
  return lines;
}

/** The outlook of a loan begins with its last event, which is another day in each tenant. */
async function recalculate(url: string, tenants: readonly string[]) {
  const pool = await openPool(url, { size: 2 });
  const within = createWithin(pool, SYSTEM);
  try {
    for (const tenant of tenants)
      await within(tenant, async (work) => {
        const ids = await work.tx.anyFirst(sql.typeAlias('id')`
          select id from loans where status in ('active', 'charged_off', 'paid_off', 'settled') order by id
        `);
        for (const id of ids) await updateAgreed(work, id);
      });
  } finally {
    await pool.end();
  }
}

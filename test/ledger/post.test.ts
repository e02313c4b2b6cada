import { expect, test } from 'vitest';
import { postEntry, postNewEntry } from '../../jobs/ledger/post.ts';
import { constraintOf } from '../../sql/database/db.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const REFERENCE = '00000000-0000-4000-8000-000000000001';

const entriesOf = async (tenantId: string) => {
  const { rows } = await stage.owner.query('select 1 from journal_entries where tenant_id = $1', [
    tenantId,
  ]);
  return rows.length;
};

test('a posting is one entry whose lines name accounts by role', async () => {
  const tenant = await stage.tenant();

  const id = await tenant.within((work) =>
    postEntry(work, {
      entry_date: '2026-01-15',
      reference_type: 'payment',
      reference_id: REFERENCE,
      debit: { cash: '100.00', interest_income: '20', fees_receivable: '0.00' },
      credit: { loans_receivable: '80.00', interest_income: '20.00', interest_receivable: '20.00' },
    }),
  );
  const lines = await stage.owner.query(
    `select role, debit, credit, line.entry_date::text from journal_lines as line
     where entry_id = $1 order by position`,
    [id],
  );

  expect(lines.rows.map((row) => Object.values(row).join(' '))).toEqual([
    'cash 100.00 0.00 2026-01-15',
    'interest_income 20.00 0.00 2026-01-15',
    'loans_receivable 0.00 80.00 2026-01-15',
    'interest_income 0.00 20.00 2026-01-15',
    'interest_receivable 0.00 20.00 2026-01-15',
  ]);
});

test('an empty posting writes no entry', async () => {
  const tenant = await stage.tenant();

  const id = await tenant.within((work) =>
    postEntry(work, {
      entry_date: '2026-01-15',
      reference_type: 'accrual',
      debit: { interest_receivable: '0.00' },
      credit: { interest_income: '0.00' },
    }),
  );

  expect(id).toBeNull();
});

test('a reference is posted once, and refused with other amounts', async () => {
  const tenant = await stage.tenant();
  const disbursing = (amount: string) =>
    tenant.within((work) =>
      postEntry(work, {
        entry_date: '2026-01-15',
        reference_type: 'disbursement',
        reference_id: REFERENCE,
        debit: { loans_receivable: amount },
        credit: { cash: amount },
      }),
    );

  const ids = await Promise.all([1, 2, 3, 4, 5, 6].map(() => disbursing('500.00')));
  const other = disbursing('500.01');

  expect(new Set(ids).size).toBe(1);
  await expect(other).rejects.toMatchObject({ code: 'already_posted' });
});

test('if an entry turns out to be a duplicate, everything written with it is rolled back', async () => {
  const tenant = await stage.tenant();
  const paying = (amount: string) =>
    tenant.within((work) =>
      postNewEntry(work, {
        entry_date: '2026-01-15',
        reference_type: 'payment',
        reference_id: REFERENCE,
        debit: { cash: amount },
        credit: { loans_receivable: amount },
      }),
    );

  const id = await paying('5.00');
  const again = paying('5.00');

  expect(id).not.toBeNull();
  expect(await again.catch((error: unknown) => constraintOf(error))).toBe(
    'journal_entries_posted_once',
  );
  expect(await entriesOf(tenant.id)).toBe(1);
});

test('a role without an account in the chart cannot be booked', async () => {
  const tenant = await stage.tenant();
  await stage.owner.query(
    `update ledger_accounts set role = null where tenant_id = $1 and role = 'cash'`,
    [tenant.id],
  );

  const toldBy = (write: typeof postEntry) => {
    const written = tenant.within((work) =>
      write(work, {
        entry_date: '2026-01-15',
        reference_type: 'payment',
        reference_id: REFERENCE,
        debit: { cash: '5.00' },
        credit: { loans_receivable: '5.00' },
      }),
    );
    return written.catch(({ message }: Error) => message);
  };

  expect(await toldBy(postEntry)).toBe('The chart of accounts has no account with the role cash.');
  expect(await toldBy(postNewEntry)).toBe(
    'The chart of accounts has no account with the role cash.',
  );
  expect(await entriesOf(tenant.id)).toBe(0);
});

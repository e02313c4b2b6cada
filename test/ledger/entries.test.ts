import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';
import { booked, keeperOf, line } from './books.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const keeper = await keeperOf(tenant);
const { admin, accounts } = keeper;
const { cash, retained_earnings: equity } = accounts;

const drafting = (lines: unknown, more: Record<string, unknown> = {}) =>
  admin.post('/ledger/entries', {
    entry_date: '2026-01-15',
    description: 'Rent',
    lines,
    ...more,
  });

test('a draft is created, posted and read with its lines', async () => {
  const lines = [line(accounts['cash'], '100'), line(accounts['retained_earnings'], '-100.00')];

  const draft = await drafting(lines);
  const posted = await admin.post(`/ledger/entries/${draft.body.id}/post`);
  const read = await tenant.officer.get(`/ledger/entries/${draft.body.id}`);

  expect(draft).toMatchObject({
    status: 201,
    body: { status: 'draft', source: 'manual', reference_type: 'manual', posted_at: null },
  });
  expect(posted).toMatchObject({ status: 200, body: { status: 'posted', is_reversed: false } });
  expect(read.body.lines).toEqual([
    {
      account_id: accounts['cash'],
      role: 'cash',
      account_code: '1000',
      account: 'Cash',
      debit: '100.00',
      credit: '0.00',
      description: null,
    },
    {
      account_id: accounts['retained_earnings'],
      role: 'retained_earnings',
      account_code: '3000',
      account: 'Retained Earnings',
      debit: '0.00',
      credit: '100.00',
      description: null,
    },
  ]);
});

test('a posted entry is not posted twice, and not archived', async () => {
  const entry = await booked(keeper, ['cash', 'retained_earnings', '5.00']);

  const again = await admin.post(`/ledger/entries/${entry.id}/post`);
  const archived = await admin.delete(`/ledger/entries/${entry.id}`);

  expect(again).toMatchObject({ status: 409, body: { details: { current_status: 'posted' } } });
  expect(archived).toMatchObject({ status: 409, body: { code: 'immutable' } });
});

test('when many users post one draft at the same time, one succeeds', async () => {
  const draft = await drafting([line(cash, '1.00'), line(equity, '-1.00')]);

  const replies = await Promise.all(
    Array.from({ length: 6 }, () => admin.post(`/ledger/entries/${draft.body.id}/post`)),
  );

  expect(replies.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    200, 409, 409, 409, 409, 409,
  ]);
});

test('an archived draft can no longer be posted', async () => {
  const draft = await drafting([line(cash, '1.00'), line(equity, '-1.00')]);

  const archived = await admin.delete(`/ledger/entries/${draft.body.id}`);
  const posted = await admin.post(`/ledger/entries/${draft.body.id}/post`);
  const listed = await admin.get(`/ledger/entries?status=draft&limit=1000`);

  expect(archived).toMatchObject({ status: 200, body: { is_archived: true, status: 'draft' } });
  expect(posted).toMatchObject({ status: 409, body: { code: 'archived' } });
  expect(listed.body.map(({ id }: { id: string }) => id)).not.toContain(draft.body.id);
});

test('a reversal posts the mirror entry, links it, and leaves the original unchanged', async () => {
  const entry = await booked(keeper, ['cash', 'retained_earnings', '7.00']);

  const mirror = await admin.post(`/ledger/entries/${entry.id}/reverse`, { reason: 'A mistake' });
  const original = await admin.get(`/ledger/entries/${entry.id}`);

  expect(mirror).toMatchObject({
    status: 200,
    body: {
      status: 'posted',
      reference_type: 'reversal',
      reversal_of_entry_id: entry.id,
      reversal_reason: 'A mistake',
      entry_date: '2026-01-15',
    },
  });
  expect(
    mirror.body.lines.map(({ account, debit, credit }: Record<string, string>) => [
      account,
      debit,
      credit,
    ]),
  ).toEqual([
    ['Cash', '0.00', '7.00'],
    ['Retained Earnings', '7.00', '0.00'],
  ]);
  expect(original.body).toMatchObject({
    status: 'posted',
    is_reversed: true,
    reversed_by_entry_id: mirror.body.id,
  });
});

const reversing = (id: string, body: unknown = { reason: 'A mistake' }) =>
  admin.post(`/ledger/entries/${id}/reverse`, body);

test('an entry can be reversed once with a reason; a reversal or a draft cannot be reversed', async () => {
  const entry = await booked(keeper, ['cash', 'retained_earnings', '8.00']);
  const draft = await drafting([line(cash, '1.00'), line(equity, '-1.00')]);

  const silent = await reversing(entry.id, {});
  const many = await Promise.all([1, 2, 3, 4].map(() => reversing(entry.id)));
  const mirror = many.find(({ status }) => status === 200);
  const again = await reversing(entry.id);
  const ofMirror = await reversing(mirror?.body.id);
  const ofDraft = await reversing(draft.body.id);

  expect(silent).toMatchObject({ status: 422, body: { errors: { reason: 'Is required.' } } });
  expect(many.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    200, 409, 409, 409,
  ]);
  expect(again).toMatchObject({ status: 409, body: { code: 'already_reversed' } });
  expect(ofMirror).toMatchObject({ status: 409, body: { code: 'is_reversal' } });
  expect(ofDraft).toMatchObject({ status: 409, body: { code: 'not_posted' } });
});

const listed = async (query: string) => {
  const { status, body } = await admin.get(`/ledger/entries?${query}`);
  return { status, length: body.length };
};

test('entries are filtered by status, reference, day and account', async () => {
  await drafting([line(cash, '1.00'), line(equity, '-1.00')], {
    entry_date: '2026-01-02',
    reference_type: 'correction',
  });

  expect(await listed('reference_type=correction&status=draft')).toEqual({
    status: 200,
    length: 1,
  });
  expect(await listed('entry_date__lte=2026-01-02')).toEqual({ status: 200, length: 1 });
  expect(await listed(`account_id=${accounts['rounding']}`)).toEqual({ status: 200, length: 0 });
  expect((await listed('account_id=nonsense')).status).toBe(422);
  expect((await listed(`account_id=${cash}&entry_date=2026-01-02`)).length).toBe(1);
  expect((await listed('colour=red')).status).toBe(422);
});

test('officers can read the books, and only administrators can write them', async () => {
  const lines = [line(cash, '1.00'), line(equity, '-1.00')];

  const read = await tenant.officer.get('/ledger/entries');
  const written = await tenant.officer.post('/ledger/entries', {
    entry_date: '2026-01-15',
    lines,
  });

  expect(read.status).toBe(200);
  expect(read.headers['content-range']).toMatch(/^entries 0-\d+\/\d+$/);
  expect(written.status).toBe(403);
});

test('a manual entry on an account that a loan maintains names the loan', async () => {
  const { id } = await newLoan(tenant);
  const write = (other: string | undefined, loan_id?: string) =>
    admin.post('/ledger/entries', {
      entry_date: '2026-01-02',
      reference_type: 'manual',
      ...(loan_id && { loan_id }),
      lines: [line(other, '10.00'), line(cash, '-10.00')],
    });

  const refused = await write(accounts['loans_receivable']);
  const named = await write(accounts['loans_receivable'], id);
  const taken = await write(accounts['rounding']);

  expect(refused).toMatchObject({ status: 409, body: { code: 'control_account' } });
  expect([named.status, taken.status]).toEqual([201, 201]);
});

import { expect, test } from 'vitest';
import { balancesByRole } from '../setup/ledger.ts';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

/** A loan of 10,000.00 at 0.085 since January 15, secured by a car with one lien, 31 days later. */
async function secured(today = '2026-02-15') {
  const tenant = await stage.tenant(today);
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant, { disbursement_date: '2026-01-15' });
  const car = { loan_id: id, collateral_type: 'vehicle', estimated_value: '9000.00' };
  const item = `/collateral/${(await admin.post('/collateral', car)).body.id}`;
  const lien = await admin.post(`${item}/liens`, {
    lien_type: 'security_agreement',
    filing_date: '2026-01-15',
  });
  const sell = (body: object) => admin.post(`${item}/liquidate`, body);
  const loan = async () => (await admin.get(`/loans/${id}`)).body;
  return { tenant, admin, id, item, lien: `/liens/${lien.body.id}`, sell, loan };
}

test('a sale below the debt repays principal first, ends the liens and leaves a deficiency', async () => {
  const { tenant, admin, id, item, lien, sell, loan } = await secured();

  const sold = await sell({ sale_price: '8500.00', sale_expenses: '300', notes: 'Auction 7' });
  const again = await sell({ sale_price: '1.00' });
  const released = await admin.get(lien);
  const entries = await admin.get(`/ledger/loans/${id}/sub-ledger`);
  const history = await admin.get(`/loans/${id}/history`);

  // 31 days of 10000.00 at 0.085: 72.19.
  expect(sold).toMatchObject({
    status: 200,
    body: {
      status: 'liquidated',
      liquidation: {
        sale_price: '8500.00',
        sale_expenses: '300.00',
        net_proceeds: '8200.00',
        sale_date: '2026-02-15',
        outstanding_before: '10072.19',
        notes: 'Auction 7',
        applied_principal: '8200.00',
        applied_interest: '0.00',
        applied_fees: '0.00',
        recovered: '0.00',
        surplus: '0.00',
        deficiency_balance: '1872.19',
        fee_id: null,
        liens_released: [released.body.id],
      },
    },
  });
  expect(await loan()).toMatchObject({
    status: 'active',
    principal_balance: '1800.00',
    total_balance: '1872.19',
    deficiency_balance: '1872.19',
  });
  expect(released.body).toMatchObject({
    status: 'released',
    release_date: '2026-02-15',
    release_reason: 'liquidated',
  });
  expect(again).toMatchObject({ status: 409, body: { code: 'already_liquidated' } });
  expect(
    entries.body.filter((entry: Entry) => entry.reference_type === 'collateral_liquidation'),
  ).toMatchObject([
    {
      entry_date: '2026-02-15',
      lines: [
        { account: 'Cash', debit: '8200.00' },
        { account: 'Loans Receivable', credit: '8200.00' },
      ],
    },
  ]);
  expect(history.body.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(['liquidate', 'release']),
  );

  const paid = await tenant.officer.post(`/loans/${id}/payments`, { amount: '872.19' });
  expect(paid.body).toMatchObject({ interest_applied: '72.19' });
  expect(await loan()).toMatchObject({ deficiency_balance: '1000.00' });
  await travelTo(stage, tenant, '2026-02-17');
  expect(await loan()).toMatchObject({ deficiency_balance: '1000.00', accrued_interest: '0.47' });
  expect((await admin.get(item)).body.liquidation.deficiency_balance).toBe('1000.00');
  expect(await violationsIn(stage)).toEqual([]);
});
type Entry = { reference_type: string };

test('sale proceeds above the debt are held for the borrower, and the loan is paid off', async () => {
  const { tenant, admin, id, sell, loan } = await secured();

  const sold = await sell({ sale_price: '10500.00', sale_expenses: '100.00' });
  const tasks = await admin.get(`/tasks?loan_id=${id}`);

  expect(sold.body.liquidation).toMatchObject({
    applied_principal: '10000.00',
    applied_interest: '72.19',
    surplus: '327.81',
    deficiency_balance: '0.00',
  });
  expect(await loan()).toMatchObject({ status: 'paid_off', total_balance: '0.00' });
  expect(await balancesByRole(tenant)).toEqual({
    cash: '400.00',
    interest_income: '-72.19',
    refunds_payable: '-327.81',
  });
  expect(tasks.body.map(({ title }: { title: string }) => title)).toEqual([
    expect.stringMatching(/^Pay out the surplus of /),
  ]);
});

test('the sale of a charged-off loan’s collateral is a recovery', async () => {
  const { tenant, admin, id, sell, loan } = await secured();
  await admin.post(`/loans/${id}/charge-off`);

  const sold = await sell({ sale_price: '4000.00' });
  const undone = await admin.post(`/loans/${id}/reverse-charge-off`);

  expect(sold.body.liquidation).toMatchObject({
    recovered: '4000.00',
    applied_principal: '0.00',
    deficiency_balance: '6000.00',
  });
  expect(await loan()).toMatchObject({ status: 'charged_off', charge_off_balance: '6000.00' });
  expect(await balancesByRole(tenant)).toEqual({
    cash: '-6000.00',
    charge_off_expense: '10000.00',
    recovery_income: '-4000.00',
  });
  expect(undone).toMatchObject({ status: 409, body: { code: 'recovery_posted' } });
});

test('expenses above the price are charged as a legal fee', async () => {
  const { tenant, admin, id, sell, loan } = await secured();

  const sold = await sell({ sale_price: '100.00', sale_expenses: '350.00' });
  const fees = await admin.get(`/loans/${id}/fees`);
  const lost = await secured();
  await lost.admin.post(`/loans/${lost.id}/charge-off`);
  const ofLost = await lost.sell({ sale_price: '100.00', sale_expenses: '350.00' });

  expect(sold.body.liquidation).toMatchObject({
    net_proceeds: '0.00',
    fee_id: fees.body[0].id,
    deficiency_balance: '10322.19',
  });
  expect(fees.body).toMatchObject([{ fee_type: 'legal', amount: '250.00', status: 'assessed' }]);
  expect(await loan()).toMatchObject({ outstanding_fees: '250.00' });
  expect((await balancesByRole(tenant))['fees_receivable']).toBe('250.00');
  expect(ofLost.body.liquidation).toMatchObject({ net_proceeds: '0.00', fee_id: null });
  expect(await lost.loan()).toMatchObject({ outstanding_fees: '0.00', status: 'charged_off' });
});

test('events before a sale that are entered after it give the same loan and the same books', async () => {
  const steps = {
    sale: ({ sell }: Case) =>
      sell({ sale_price: '9900.00', sale_expenses: '50.00', sale_date: '2026-01-30' }),
    paid: ({ tenant, id }: Case) =>
      tenant.officer.post(`/loans/${id}/payments`, {
        amount: '400.00',
        payment_date: '2026-01-20',
      }),
    fee: ({ tenant, id }: Case) =>
      tenant.officer.post(`/loans/${id}/fees`, {
        fee_type: 'other',
        amount: '40.00',
        effective_date: '2026-01-25',
      }),
  };
  const orders = [
    ['paid', 'fee', 'sale'],
    ['sale', 'fee', 'paid'],
    ['fee', 'sale', 'paid'],
  ] as const;
  const ends = [];
  for (const order of orders) {
    const again = await secured();
    for (const step of order) expect((await steps[step](again)).status).toBeLessThan(300);
    const { status, total_balance, deficiency_balance } = await again.loan();
    const {
      outstanding_before: _,
      liens_released: __,
      ...sale
    } = (await again.admin.get(again.item)).body.liquidation;
    ends.push({
      status,
      total_balance,
      deficiency_balance,
      sale,
      books: await balancesByRole(again.tenant),
    });
  }

  expect(ends[0]).toMatchObject({ status: 'paid_off', sale: { net_proceeds: '9850.00' } });
  expect(ends[1]).toEqual(ends[0]);
  expect(ends[2]).toEqual(ends[0]);
  expect(await violationsIn(stage)).toEqual([]);
});
type Case = Awaited<ReturnType<typeof secured>>;

test('reversing a mistaken sale reverses its fee, its lien releases and its tasks', async () => {
  const { tenant, admin, id, item, lien, sell, loan } = await secured();
  await admin.put(item, { status: 'repossessed' });
  const before = { loan: await loan(), books: await balancesByRole(tenant) };
  const undo = (reason = 'Wrong car') => admin.post(`${item}/reverse-liquidation`, { reason });

  const early = await undo();
  await sell({ sale_price: '10500.00' });
  const undone = await undo();
  const tasks = await admin.get(`/tasks?loan_id=${id}&status=open`);
  await sell({ sale_price: '0.00', sale_expenses: '100.00' });
  await undo();

  expect(early).toMatchObject({ status: 409, body: { code: 'not_liquidated' } });
  expect(undone).toMatchObject({ status: 200, body: { status: 'repossessed', liquidation: null } });
  expect((await admin.get(lien)).body).toMatchObject({ status: 'active', release_date: null });
  expect(tasks.body).toMatchObject([{ title: expect.stringMatching(/^Review LN-2026-000001/) }]);
  const { updated_at: _, ...now } = await loan();
  expect(before.loan).toMatchObject(now);
  expect(await balancesByRole(tenant)).toEqual(before.books);
  expect(await violationsIn(stage)).toEqual([]);
});

test('an item that cannot be sold is refused, and a sale’s date must fit its loan’s history', async () => {
  const { admin, tenant, item, sell } = await secured();
  const pending = await newLoan(tenant, { status: 'pending' });
  const other = await admin.post('/collateral', { loan_id: pending.id, collateral_type: 'other' });
  const sale = { sale_price: '10.00' };

  const replies = [
    await admin.post(`/collateral/${other.body.id}/liquidate`, sale),
    await tenant.officer.post(`${item}/liquidate`, sale),
    await sell({ sale_price: '-1.00' }),
    await sell({ ...sale, sale_expenses: '-1.00' }),
    await sell({ ...sale, sale_date: '2026-02-16' }),
    await sell({ ...sale, sale_date: '2026-01-14' }),
    await sell({}),
  ];
  await admin.delete(item);
  const archived = await sell(sale);

  expect(replies.map(({ status, body }) => [status, body.code])).toEqual([
    [409, 'loan_not_active'],
    [403, 'permission_denied'],
    ...Array.from({ length: 5 }, () => [422, 'validation_error']),
  ]);
  expect(archived).toMatchObject({ status: 409, body: { code: 'archived' } });
});

test('the monthly statement lists the sale, and its lines add up', async () => {
  const { tenant, id, sell } = await secured('2026-02-28');
  await sell({ sale_price: '8000.00', sale_date: '2026-02-15' });
  await travelTo(stage, tenant, '2026-03-01');

  const { rows } = await stage.owner.query<{ figures: Figures }>(
    'select figures from statements where loan_id = $1',
    [id],
  );

  const figures = rows[0]?.figures;
  expect(figures?.activity).toMatchObject([
    { kind: 'disbursement', amount: '10000.00' },
    { kind: 'collateral_sold', date: '2026-02-15', amount: '-8000.00', principal: '-8000.00' },
    { kind: 'interest' },
  ]);
  expect(figures?.summary).toMatchObject({ payments: '8000.00', credits: '0.00' });
  expect(figures?.year_to_date).toMatchObject({ principal: '8000.00', total: '8000.00' });
});
type Figures = { activity: object[]; summary: object; year_to_date: object };

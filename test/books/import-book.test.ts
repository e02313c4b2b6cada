import { expect, test } from 'vitest';
import { tapeLine, tapeText } from '../setup/boarding-tapes.ts';
import { importTape } from '../setup/imports.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('a book of one file is imported with its borrowers, balances and terms, and only once', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const book = tapeText(
    tapeLine(),
    tapeLine({ loan_number: 'T-2', current_principal_balance: '0.00', status: 'paid_off' }),
  );

  const ids = await importTape(tenant, book);
  const again = await importTape(tenant, book);

  const [first, second] = await Promise.all(
    ids.map(async (id) => (await tenant.officer.get(`/loans/${id}`)).body),
  );
  expect(first).toMatchObject({
    loan_number: 'T-1',
    status: 'active',
    borrower_name: 'Ada Lovelace, Countess',
    principal_balance: '9756.53',
    payment_amount: '315.68',
    next_payment_date: '2026-02-10',
  });
  expect(second).toMatchObject({ loan_number: 'T-2', status: 'paid_off', total_balance: '0.00' });
  expect(second.borrower_id).toBe(first.borrower_id);
  // The installment of the file corresponds to 8.5 percent.
  expect(first.apr).toMatch(/^0\.08[45]/);
  expect(second.apr).toBe(first.apr);
  const history = await tenant.officer.get(`/loans/${ids[0]}/history`);
  expect(history.body[0]).toMatchObject({ action: 'board', reason: 'Boarded from a tape.csv' });
  expect(again).toEqual(ids);
});

test('a mistake in one line refuses the book, names every mistake, and leaves nothing behind', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const tomorrow = { origination_date: '2026-01-16', first_payment_date: '2026-02-16' };
  const book = tapeText(
    tapeLine(),
    tapeLine({ loan_number: 'T-2', ...tomorrow }),
    tapeLine({ loan_number: 'T-3', borrower_external_id: 'B-3', purpose: 'NONE' }),
  ).replace(/purpose$/m, 'product_code');

  const refused = importTape(tenant, book.replaceAll(',car', ','));

  await expect(refused).rejects.toMatchObject({
    findings: [
      { line: 3, column: 'origination_date', reason: 'Must not be in the future.' },
      {
        line: 4,
        column: 'product_code',
        reason: expect.stringContaining('This product does not exist here'),
      },
    ],
  });
  expect((await tenant.officer.get('/loans')).body).toEqual([]);
  expect((await tenant.officer.get('/borrowers?q=Lovelace')).body).toEqual([]);
  expect((await admin.get('/imports')).body).toEqual([]);
});

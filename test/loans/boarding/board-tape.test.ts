import { expect, test } from 'vitest';
import { boardTape, TapeRejected } from '../../../jobs/loans/boarding/board-tape.ts';
import { tapeLine, parseTape, tapeText } from '../../setup/boarding-tapes.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('a tape is boarded with its borrowers, balances and terms', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { rows } = await parseTape(
    tapeText(
      tapeLine(),
      tapeLine({ loan_number: 'T-2', current_principal_balance: '0.00', status: 'paid_off' }),
    ),
  );

  const ids = await tenant.within((work) => boardTape(work, rows, { file: 'a tape' }));

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
  // The tape's installment corresponds to 8.5 percent.
  expect(first.apr).toMatch(/^0\.08[45]/);
  expect(second.apr).toBe(first.apr);
  const history = await tenant.officer.get(`/loans/${ids[0]}/history`);
  expect(history.body[0]).toMatchObject({ action: 'board', reason: 'Boarded from a tape' });
});

test('one invalid line rejects the whole tape, and all errors are listed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { rows } = await parseTape(
    tapeText(
      tapeLine(),
      tapeLine({
        loan_number: 'T-2',
        origination_date: '2026-01-16',
        first_payment_date: '2026-02-16',
      }),
      tapeLine({ loan_number: 'T-3', borrower_external_id: 'B-3' }),
    ),
  );
  const unknown = rows.map((row) =>
    row.loan_number === 'T-3' ? { ...row, product_code: 'NONE' } : row,
  );

  const refused = await tenant
    .within((work) => boardTape(work, unknown, { file: 'a tape' }))
    .catch((error: unknown) => error);

  expect(refused).toBeInstanceOf(TapeRejected);
  expect((refused as TapeRejected).refusals).toEqual([
    { line: 3, column: 'origination_date', reason: 'Must not be in the future.' },
    { line: 4, column: 'product_code', reason: 'This product does not exist.' },
  ]);
  expect((await tenant.officer.get('/loans')).body).toEqual([]);
  expect((await tenant.officer.get('/borrowers?q=Lovelace')).body).toEqual([]);
});

test('of two concurrent uploads of a tape, the second is refused because the first is being boarded', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { rows } = await parseTape(tapeText(tapeLine()));
  const boarding = () => tenant.within((work) => boardTape(work, rows, { file: 'a tape' }));

  const second = await tenant.within(async (work) => {
    await boardTape(work, rows, { file: 'a tape' });
    return boarding().catch((error: unknown) => error);
  });

  expect(second).toMatchObject({
    message: 'Another tape is being boarded. Try again after it.',
    code: 'in_progress',
  });
});

test('a boarded tape cannot be boarded again', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { rows } = await parseTape(tapeText(tapeLine()));
  await tenant.within((work) => boardTape(work, rows, { file: 'a tape' }));

  const again = tenant.within((work) => boardTape(work, rows, { file: 'a tape' }));

  await expect(again).rejects.toMatchObject({ refusals: [{ line: 2, column: 'loan_number' }] });
});

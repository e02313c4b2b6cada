import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('notes are found by words of their subject or text, among all of the tenant and of one borrower', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const { id: loan_id } = await newLoan(tenant);
  const { borrower_id } = (await officer.get(`/loans/${loan_id}`)).body;
  const note = (subject: string | null, body: string) =>
    officer.post(`/borrowers/${borrower_id}/notes`, { subject, body });
  await note('Due date', 'Asked for the 100% discount.');
  await note(null, 'Called about the due date.');
  const other = await stage.tenant();
  await newLoan(other);
  const found = async (path: string, client = officer) =>
    ((await client.get(path)).body as { body: string }[]).map(({ body }) => body).toSorted();

  const both = ['Asked for the 100% discount.', 'Called about the due date.'];
  expect(await found('/notes?q=DUE+date')).toEqual(both);
  expect(await found('/notes?q=called')).toEqual(both.slice(1));
  expect(await found('/notes?q=100%25')).toEqual(both.slice(0, 1));
  expect(await found('/notes?q=to')).toEqual([]);
  expect(await found(`/notes?borrower_id=${borrower_id}&q=called`)).toEqual(both.slice(1));
  expect(await found(`/borrowers/${borrower_id}/notes?q=due`)).toEqual(both);
  expect(await found('/notes?q=due', other.officer)).toEqual([]);
});

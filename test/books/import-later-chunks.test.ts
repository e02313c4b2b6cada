import { expect, test } from 'vitest';
import { boardNextChunk } from '../../jobs/books/imports/board-chunk.ts';
import { stageBook } from '../../jobs/books/imports/stage-book.ts';
import { bookOf, csvOf, INTEREST_FREE_LOAN } from '../setup/books.ts';
import { lentTo, runImports, uploadBook, zipOf } from '../setup/imports.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

const loan = (at: number, wish: Record<string, string> = {}) => ({
  ...INTEREST_FREE_LOAN,
  loan_number: `L-${at}`,
  borrower_external_id: `P-${at}`,
  borrower_last_name: `Moreno ${at}`,
  accrued_interest: '0.00',
  ...wish,
});

async function checked(files: Readonly<Record<string, string>>) {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  await tenant.officer.post('/borrowers', {
    first_name: 'Kim',
    last_name: 'Known',
    external_id: 'P-known',
  });
  const sent = await uploadBook(admin, await zipOf(files), {}, 'book.zip');
  const { id } = sent.body as { id: string };
  await runImports(stage);
  const findings = (await admin.get(`/imports/${id}/findings`)).body as {
    file: string;
    line: number;
    column_name: string;
    reason: string;
  }[];
  const board = async () => {
    await stage.owner.query(`update imports set status = 'boarding' where id = $1`, [id]);
    const { within } = lentTo(stage);
    await stageBook(within, tenant.id, id, bookOf(files));
    for (let done = false; !done;)
      done = (await within(tenant.id, (work) => boardNextChunk(work, id, 1))).isComplete;
  };
  const list = async (path: string) =>
    (await tenant.officer.get(path)).body as (Record<string, unknown> & { id: string })[];
  return { findings, board, list };
}

test('records that name a loan or a person of a later chunk wait for it, and none is lost', async () => {
  const { findings, board, list } = await checked({
    'loans.csv': csvOf(loan(1), loan(2), loan(3)),
    // The co-signer of the first loan describes herself in the line of the last one.
    'co_borrowers.csv': csvOf(
      { loan_number: 'L-1', borrower_external_id: 'P-3', role: 'co_signer' },
      { loan_number: 'L-3', borrower_external_id: 'P-1', role: 'co_signer' },
    ),
    'cases.csv': csvOf({
      case_id: 'K-1',
      borrower_external_id: 'P-1',
      loan_number: 'L-3',
      case_type: 'complaint',
      subject: 'About the loan that she co-signed',
    }),
    'notes.csv': csvOf({ loan_number: 'L-1', borrower_external_id: 'P-3', body: 'Called.' }),
  });
  expect(findings).toEqual([]);

  await board();

  const [first] = await list('/loans?loan_number=L-1');
  const [last] = await list('/loans?loan_number=L-3');
  const [cosigner] = await list('/borrowers?external_id=P-3');
  expect(await list(`/loans/${first?.id}/co-borrowers`)).toMatchObject([
    { borrower_id: cosigner?.id },
  ]);
  expect(last).toMatchObject({ borrower_id: cosigner?.id });
  expect(await list('/cases')).toMatchObject([{ loan_id: last?.id, case_type: 'complaint' }]);
  expect(await list(`/borrowers/${cosigner?.id}/notes`)).toMatchObject([{ body: 'Called.' }]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a case and a note of a borrower who is known here and has no loan in the book are kept', async () => {
  const { findings, board, list } = await checked({
    'loans.csv': csvOf(loan(1)),
    'cases.csv': csvOf({
      case_id: 'K-1',
      borrower_external_id: 'P-known',
      case_type: 'complaint',
      subject: 'Has no loan in the book',
    }),
    'notes.csv': csvOf({ borrower_external_id: 'P-known', body: 'Prefers letters.' }),
  });
  expect(findings).toEqual([]);

  await board();

  const [kim] = await list('/borrowers?external_id=P-known');
  expect(await list('/cases')).toMatchObject([{ borrower_id: kim?.id }]);
  expect(await list(`/borrowers/${kim?.id}/notes`)).toMatchObject([{ body: 'Prefers letters.' }]);
});

test('the check finds a case whose facts name a loan that the book does not have', async () => {
  const { findings } = await checked({
    'loans.csv': csvOf(loan(1)),
    'cases.csv': csvOf({
      case_id: 'K-1',
      borrower_external_id: 'P-1',
      case_type: 'bankruptcy',
      subject: 'Chapter 7',
      facts: JSON.stringify({
        chapter: '7',
        filed_on: '2026-01-05',
        reaffirmations: [{ loan_id: 'L-9', date: '2026-01-06' }],
      }),
    }),
  });

  expect(findings).toContainEqual(
    expect.objectContaining({
      file: 'cases.csv',
      line: 2,
      column_name: 'facts',
      reason: 'Names the loan L-9, which loans.csv does not have.',
    }),
  );
});

test('a replayed loan may have more transactions than one request of the API takes', async () => {
  const transactions = Array.from({ length: 2_100 }, (_, at) => ({
    loan_number: 'L-1',
    transaction_id: `T-${at}`,
    date: '2026-01-10',
    type: 'payment',
    amount: '0.10',
  }));
  const { findings, board, list } = await checked({
    'loans.csv': csvOf(
      loan(1, { current_principal_balance: '990.00', history_from: '2026-01-01' }),
    ),
    'history.csv': csvOf(...transactions),
  });
  expect(findings).toEqual([]);

  await board();

  expect(await list('/loans')).toMatchObject([{ principal_balance: '990.00' }]);
});

import { expect, test } from 'vitest';
import { newBorrower } from '../setup/joint-loans.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';
import { INSTALLMENT, newLegalStory, owedOn } from './legal-story.ts';

/** A borrower dies. Another one goes on paying, or a representative answers for the estate. */

const stage = await newStage();
const EXECUTOR = {
  representative_type: 'executor',
  first_name: 'Ed',
  last_name: 'State',
  street_line_1: '9 Court Street',
  city: 'Arlington',
  state: 'VA',
  postal_code: '22201',
};

type Consumer = { first_name: string; ecoa_code?: string };

/** A loan of two people. Grace pays it by autopay, and dies on February 20. */
async function newJointStory(death: object = {}) {
  const story = await newLegalStory(stage);
  const ada = await newBorrower(story.tenant);
  await story.reachable(ada, 'ada@example.com');
  await story.officer.post(`/loans/${story.id}/co-borrowers`, {
    borrower_id: ada,
    role: 'co_borrower',
  });
  await story.enroll(story.borrower_id);
  await story.travel('2026-02-18');
  await story.sendOrders();
  await story.travel('2026-03-05');
  const facts = { date_of_death: '2026-02-20', evidence: 'death_certificate', ...death };
  const record = await story.open(story.borrower_id, 'deceased', facts);
  await story.deliver();
  return { ...story, ada, facts, record };
}

test('after a death, statements and messages go to the other borrower, who goes on paying', async () => {
  const story = await newJointStory();
  const { id, borrower_id, ada, rows, read } = story;
  await story.travel('2026-03-18');
  await story.pay(INSTALLMENT);
  await story.travel('2026-04-02');
  const sent = await story.deliver();
  const tried = [await story.tryMessages(borrower_id), await story.tryMessages(ada)];
  const tasks = async () =>
    (await rows(`/borrowers/${borrower_id}/tasks?ordering=title`)).map(({ title }) => title);

  expect(sent.mails.map(({ to, subject }) => [to.address, subject])).toEqual([
    ['ada@example.com', 'Your statement is ready'],
  ]);
  expect(sent.mails[0]?.attachments).toHaveLength(1);
  expect(sent.pages).toHaveLength(1);
  expect(sent.pages[0]).toContain('Ada Byron');
  expect(sent.pages[0]).not.toContain('Grace Hopper');
  expect(tried).toEqual([
    expect.objectContaining({ past_due_notice: ['deceased'], payoff_letter: ['deceased'] }),
    expect.objectContaining({ past_due_notice: [], payoff_letter: [] }),
  ]);
  const paid = { '2026-02-17': INSTALLMENT, '2026-03-18': INSTALLMENT };
  expect(await read(`/loans/${id}/get-balances`)).toMatchObject(owedOn('2026-04-02', paid));
  expect(await tasks()).toEqual([
    'Agree on how loan LN-2026-000001 is paid',
    'Name the representative in case C-2026-000001',
  ]);
  expect(await violationsIn(stage)).toEqual([]);
}, 600_000);

test('a death is reported once, and then the account of the other borrower', async () => {
  const story = await newJointStory();
  await story.travel('2026-05-01');
  const reports = await story.reports();

  const shown = reports.map(({ reporting_period, ecoa_code, consumer, co_consumers }) => [
    reporting_period,
    `${(consumer as Consumer).first_name} ${String(ecoa_code)}`,
    ...(co_consumers as Consumer[]).map((who) => `${who.first_name} ${who.ecoa_code}`),
  ]);
  expect(shown).toEqual([
    ['2026-01-31', 'Grace 2', 'Ada 2'],
    ['2026-02-28', 'Grace X', 'Ada 2'],
    ['2026-03-31', 'Ada 1'],
    ['2026-04-30', 'Ada 1'],
  ]);
});

test('the representative of the estate of a sole borrower gets the letters', async () => {
  const story = await newLegalStory(stage);
  const { borrower_id, officer, rows, id } = story;
  await story.travel('2026-03-05');
  await story.deliver();
  const facts = { date_of_death: '2026-02-20' };
  const record = await story.open(borrower_id, 'deceased', facts);
  const unknown = await story.tryMessages(borrower_id);
  const rep = await officer.post(`/borrowers/${borrower_id}/legal-reps`, EXECUTOR);
  await story.correct(record.id, { ...facts, representative_id: rep.body.id });
  await story.travel('2026-04-02');
  const sent = await story.deliver();
  const known = await story.tryMessages(borrower_id);
  await story.deliver();
  const letters = (await story.messages(borrower_id)).filter(
    ({ template_type, status }) => template_type === 'payoff_letter' && status === 'sent',
  );

  expect(unknown).toMatchObject({ payoff_letter: ['deceased'], past_due_notice: ['deceased'] });
  expect(known).toMatchObject({ payoff_letter: [], past_due_notice: ['deceased'] });
  expect(sent.mails).toEqual([]);
  const [statement] = sent.pages;
  expect(statement).toContain('Estate of Grace Hopper');
  expect(statement).toContain('c/o Ed State');
  expect(statement).toContain('9 Court Street');
  expect(letters).toMatchObject([
    { channel: 'letter', recipient: '9 Court Street, Arlington, VA 22201' },
  ]);
  expect(await rows(`/borrowers/${borrower_id}/tasks`)).toMatchObject([
    { title: 'Name the representative in case C-2026-000001', status: 'completed' },
  ]);
  expect((await story.read(`/loans/${id}`)).status).toBe('active');
  expect(await violationsIn(stage)).toEqual([]);
});

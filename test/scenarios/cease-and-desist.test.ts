import { expect, test } from 'vitest';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';
import { newLegalStory } from './legal-story.ts';

/** A borrower demands in writing that the lender stops communicating, and later withdraws the demand. */

const stage = await newStage();

test('after a demand to stop, only letters that the law requires go out', async () => {
  const story = await newLegalStory(stage);
  const { id, borrower_id, officer } = story;
  await story.travel('2026-02-24');
  await story.deliver();
  const reminder = { borrower_id, loan_id: id, channel: 'sms', template_type: 'payment_reminder' };
  const queued = await officer.post('/communications/send', reminder);
  const letter = { ...reminder, channel: 'letter' };
  const printed = await officer.post('/communications/send', letter);

  const received = { received_date: '2026-02-24', channel: 'letter' };
  const demand = await story.open(borrower_id, 'cease_and_desist', received);
  const held = await story.deliver();
  await story.travel('2026-03-22');
  await story.pay('600.00');
  const sent = await story.deliver();
  const tried = await story.tryMessages(borrower_id);
  const quote = await officer.post(`/loans/${id}/payoff-quotes`, { delivery_method: 'email' });
  const answered = await story.deliver();
  const messages = (await story.messages(borrower_id)).map(
    ({ template_type, channel, status }) => `${template_type} ${channel} ${status}`,
  );
  await story.correct(demand.id, { ...received, withdrawn_date: '2026-03-22' });
  const again = await story.tryMessages(borrower_id);

  expect([queued.body.status, printed.body.status]).toEqual(['queued', 'queued']);
  expect([held.mails, held.texts]).toEqual([[], []]);
  expect([sent.mails, sent.texts]).toEqual([[], []]);
  expect(sent.pages.filter((page) => page.includes('Monthly Statement'))).toHaveLength(1);
  expect(tried).toEqual({
    past_due_notice: ['cease_and_desist'],
    late_fee_notice: ['cease_and_desist'],
    payment_reminder: ['cease_and_desist'],
    payoff_letter: [],
  });
  expect(quote.status, JSON.stringify(quote.body)).toBe(201);
  expect([answered.mails, answered.texts]).toEqual([[], []]);
  expect(messages).toEqual([
    'statement_ready email sent',
    // Queued before the demand, and stopped when they were to leave.
    'payment_reminder sms failed',
    'payment_reminder letter failed',
    'statement_ready letter sent',
    'past_due_notice letter blocked',
    'late_fee_notice letter blocked',
    'payment_reminder letter blocked',
    'payoff_letter letter sent',
    // The quote was asked for by email.
    'payoff_letter letter sent',
  ]);
  expect(again).toMatchObject({ past_due_notice: [], payment_reminder: [] });
  expect(await violationsIn(stage)).toEqual([]);
}, 600_000);

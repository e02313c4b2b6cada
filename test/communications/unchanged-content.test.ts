import { expect, test } from 'vitest';
import type { Mail } from '../../jobs/external-systems.ts';
import { changeEverything, newCorrespondent, CHANGED_WORDS } from '../setup/correspondent.ts';
import { newOutside } from '../setup/outside.ts';
import { runJobs, travelTo } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const SENDING = ['send-communication', 'print-letter'];
const SAYS = ['Grace Hopper', 'You owe $10,000.00 on January 15, 2026'];

type Ground = Awaited<ReturnType<typeof newCorrespondent>>;

/** A single message and a batch on each channel. Each is queued and not sent. */
const WAYS: Record<string, (ground: Ground, channel: string) => Promise<{ status: number }>> = {
  'a message': async ({ tenant, borrower_id, loan_id, template }, channel) =>
    tenant.officer.post('/communications/send', {
      borrower_id,
      loan_id,
      channel,
      template_id: await template(channel),
    }),
  'a message of a batch': async ({ tenant, borrower_id, template }, channel) =>
    tenant.officer.post('/communications/send-batch', {
      borrower_ids: [borrower_id],
      channel,
      template_id: await template(channel),
    }),
};

for (const [what, queue] of Object.entries(WAYS))
  for (const channel of ['email', 'sms', 'letter', 'in_app'])
    test(`${what} by ${channel} that waits for a month keeps its original content`, async () => {
      const ground = await newCorrespondent(stage);
      const outside = newOutside(stage.pool);

      const queued = await queue(ground, channel);
      await changeEverything(stage, ground);
      await runJobs(stage, outside, SENDING);

      const [log] = (await ground.tenant.officer.get('/communication-logs')).body;
      const { mailbox, texts, pages } = outside;
      const sent = JSON.stringify([log, mailbox, texts, pages.map(withoutFonts)]);
      expect(queued.status).toBeLessThan(300);
      expect(log).toMatchObject({ status: 'sent', channel });
      for (const words of SAYS) expect(sent).toContain(words);
      for (const words of CHANGED_WORDS) expect(sent).not.toContain(words);
    });

const withoutFonts = (page: string) => page.replaceAll(/base64,[^)]*/g, '');

test('an email that is resent after a crash is the same email', async () => {
  const ground = await newCorrespondent(stage);
  const outside = newOutside(stage.pool);
  const seen: Mail[] = [];
  const dying = {
    ...outside,
    mail: async (letter: Mail) => {
      seen.push(letter);
      throw new Error('Nobody hears the answer.');
    },
  };

  await WAYS['a message of a batch']?.(ground, 'email');
  await expect(runJobs(stage, dying, SENDING)).rejects.toThrow('Nobody hears the answer.');
  await changeEverything(stage, ground);
  await runJobs(stage, outside, SENDING);

  expect(outside.mailbox).toEqual(seen);
});

test('a statement message shows the statement’s date and amounts, whenever it is printed', async () => {
  const ground = await newCorrespondent(stage);
  const { tenant, admin } = ground;
  const outside = newOutside(stage.pool);
  await admin.post('/communication-templates', {
    name: 'Ready',
    template_type: 'statement_ready',
    channel: 'email',
    subject: 'Statement of {{ statement.date | date }}',
    body:
      '{{ borrower.name }}: {{ loan.balance | currency }} at {{ loan.rate | percent }} with ' +
      '{{ tenant.name }} today, {{ today | date }}. {{ statement.new_balance | currency }}',
  });
  await travelTo(stage, tenant, '2026-02-01');
  await runJobs(stage, {}, ['issue-statements']);

  await changeEverything(stage, ground, { words: false });
  await runJobs(stage, outside, ['render-document', ...SENDING]);

  const mail = outside.mailbox.find(({ subject }) => subject.startsWith('Statement'));
  expect(mail).toMatchObject({
    subject: 'Statement of February 1, 2026',
    to: { name: 'Grace Hopper' },
  });
  expect(mail?.html).toContain('Grace Hopper: $10,000.00 at 8.5');
  expect(mail?.html).toContain(`with Tenant ${tenant.slug} today, February 1, 2026. $10,039.59`);
});

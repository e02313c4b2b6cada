import { expect, test } from 'vitest';
import { printLetter } from '../../jobs/communications/print-letter.job.ts';
import { newOutside } from '../setup/outside.ts';
import { runJobs } from '../setup/queue.ts';
import { insertLoans } from '../setup/loan-rows.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('a letter with unprintable characters is posted and creates one task that names it', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const outside = newOutside(stage.pool);
  const borrower = await officer.post('/borrowers', { first_name: 'ᏣᎳᎩ', last_name: 'Mankiller' });
  await officer.post(`/borrowers/${borrower.body.id}/addresses`, {
    street_line_1: '1 Main Street',
    city: 'Tahlequah',
    state: 'OK',
    postal_code: '74464',
  });
  const [loan_id] = await insertLoans(tenant, { borrower_id: borrower.body.id });
  const printing = {
    ...outside,
    pdf: async (html: string) => ({ ...(await outside.pdf(html)), unprintable: ['Cherokee'] }),
  };

  const sent = await officer.post('/communications/send', {
    borrower_id: borrower.body.id,
    loan_id,
    channel: 'letter',
    template_type: 'statement_ready',
  });
  await runJobs(stage, printing, ['print-letter']);
  const payload = { tenant_id: tenant.id, log_id: String(sent.body.id), attempt: 1 };
  await printLetter.run(payload, printing);

  const { body: log } = await officer.get(`/communication-logs/${sent.body.id}`);
  const { body: tasks } = await officer.get(`/tasks?loan_id=${loan_id}`);
  expect(outside.pages[0]).toContain('ᏣᎳᎩ');
  expect(log.status).toBe('sent');
  expect(tasks).toMatchObject([
    {
      title: `Check the characters in letter-${sent.body.id}.pdf`,
      priority: 'high',
      description: expect.stringContaining('(Cherokee)'),
      borrower_id: borrower.body.id,
      related_type: 'document',
      related_id: log.document_id,
    },
  ]);
});

import { expect, test, vi } from 'vitest';
import { createWithin, SYSTEM } from '../../jobs/work.ts';
import { multipartForm, postForm } from '../setup/forms.ts';
import { newLoan } from '../setup/loans.ts';
import { hiddenValue, pageClient } from '../setup/pages.ts';
import { runJobs } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

vi.setConfig({ testTimeout: 60_000 });

const stage = await newStage();
const outside = {
  within: createWithin(stage.pool, SYSTEM, stage.installation),
  files: stage.installation.files,
};

test('staff read the differences of a file on a page, and a second person signs them off there', async () => {
  const tenant = await stage.tenant('2026-03-15');
  const loan = await newLoan(tenant, { status: 'active' });
  const maker = await tenant.signedIn('admin');
  const checker = await tenant.signedIn('superadmin');
  const { loan_number } = (await tenant.officer.get(`/loans/${loan.id}`)).body;
  const content = [
    'loan_number,as_of_date,principal,interest,fees',
    `${loan_number},2026-03-15,1.23,0.00,0.00`,
    'X-1,2026-03-15,10.00,0.00,0.00',
  ].join('\n');
  const form = multipartForm({}, [{ name: 'figures.csv', type: 'text/csv', content }]);
  const { body: run } = await postForm(maker, '/reconciliations', form);
  await runJobs(stage, outside, ['reconcile']);
  const place = `/reconciliations/${run.id}`;
  const own = pageClient(maker, '/staff');
  const other = pageClient(checker, '/staff');

  const list = await own.get('/reconciliations');
  const shown = await own.get(place);
  const ofKind = await own.get(`${place}?kind=missing_loan`);
  const offered = await other.get(place);
  const fingerprint = hiddenValue(offered.body as string, 'fingerprint');
  const refused = await other.send(place, { fingerprint });
  const signed = await other.send(place, { fingerprint, note: 'Both are known.' });
  const after = await other.get(place);
  const download = await other.get(`${place}/download`);
  const viewer = await pageClient(await tenant.signedIn('viewer'), '/staff').get(place);

  expect(list.body).toContain('figures.csv');
  expect(shown.body).toContain('2 differ');
  expect(shown.body).toContain('Missing loan');
  expect(shown.body).toContain('Another user must sign off your comparison.');
  expect(shown.body).not.toContain('/ops/jobs');
  expect(ofKind.body).toContain('There is no such loan here.');
  expect(ofKind.body).not.toContain('1.23');
  expect(refused.body).toContain('Is required, because 2 loans do not agree.');
  expect(signed.status).toBe(303);
  expect(after.body).toContain('Both are known.');
  expect(viewer.status).toBe(403);
  expect(shown.body).toContain('Download all as CSV');
  expect(download.status).toBe(303);
  expect(download.headers['location']).toContain('differences.csv');
});

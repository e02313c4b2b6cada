import { expect, test } from 'vitest';
import { z } from 'zod';
import { EVENTS, type EventType } from '../../jobs/webhooks/event-types.ts';
import { sql } from '../../sql/database/db.ts';
import { newLetterSender } from '../setup/letters.ts';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { runJobs, travelTo } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const Told = z.object({ event_type: z.string(), body: z.string() });

const toldBy = (tenant: Tenant) =>
  tenant.within(({ tx }) =>
    tx.any(sql.type(Told)`select event_type, body from events order by id`),
  );

/**
 * A loan at 20 percent, where the maximum is 16, that becomes late, has a returned payment and is modified.
 */
async function manyThingsHappen(tenant: Tenant) {
  const { officer } = tenant;
  const { id, borrower_id } = await newLoan(tenant, { interest_rate: '0.20' });
  await officer.post(`/borrowers/${borrower_id}/addresses`, {
    street_line_1: '1 Main Street',
    city: 'Albany',
    state: 'NY',
    postal_code: '12207',
  });
  await officer.post(`/loans/${id}/run-compliance-checks`);
  await travelTo(stage, tenant, '2026-02-18');
  const paid = await officer.post(`/loans/${id}/payments`, { amount: '100.00' });
  await officer.post(`/payments/${paid.body.id}/reverse`, { reason: 'nsf', return_code: 'R01' });
  await officer.post(`/loans/${id}/fees`, { fee_type: 'other', amount: '30.00' });
  await officer.post(`/loans/${id}/modifications`, {
    modification_type: 'rate_change',
    new_interest_rate: '0.04',
    reason: 'hardship',
  });
  await officer.post(`/loans/${id}/payments`, { amount: '50.00', payment_type: 'fee_only' });
  await officer.post(`/loans/${id}/suspense-applications`);
  const admin = await tenant.signedIn('admin');
  await admin.post(`/loans/${id}/charge-off`, { amount: '1000.00' });
  await runJobs(stage, newOutside(stage.pool), ['render-document']);
}

test('every event’s data has exactly its documented fields', async () => {
  const tenant = await stage.tenant('2026-01-15');
  await manyThingsHappen(tenant);

  const office = await newLetterSender(stage);
  await office.post(1);
  await office.batch();

  const told = [...(await toldBy(tenant)), ...(await toldBy(office.tenant))];
  const missing = Object.keys(EVENTS).filter(
    (type) => !told.some(({ event_type }) => event_type === type),
  );

  expect(missing).toEqual([]);
  for (const { event_type, body } of told) {
    const { data } = JSON.parse(body) as { data: object };
    const declared = z.strictObject(EVENTS[event_type as EventType].shape);

    expect(declared.safeParse(data).error?.message, event_type).toBeUndefined();
  }
});

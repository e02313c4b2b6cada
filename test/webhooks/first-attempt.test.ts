import { expect, test } from 'vitest';
import { enqueue } from '../../jobs/job.ts';
import { deliverWebhook } from '../../jobs/webhooks/deliver.job.ts';
import { emit } from '../../jobs/webhooks/emit.ts';
import { PAYMENT_RECEIVED } from '../setup/events.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

const jobs = async () => {
  const { rows } = await stage.owner.query(`
    select job.id, task.identifier, job.payload, job.max_attempts, job.key, job.priority, job.job_queue_id
    from graphile_worker._private_jobs as job
    join graphile_worker._private_tasks as task on task.id = job.task_id
    where task.identifier like '%deliver%' or job.key like '%deliver%'`);
  return rows;
};

test('the relay enqueues first attempts as deliver-webhook itself would', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const receiver = { url: 'https://receiver.example.com/hook', events: ['*'] };
  await admin.post('/webhooks', { ...receiver, secret: 'a secret of the receiver' });
  await tenant.within((work) => emit(work, 'payment.received', PAYMENT_RECEIVED));

  await stage.owner.query('select app.relay_events(100)');
  const relayed = await jobs();
  const payload = deliverWebhook.payload.parse(relayed[0]?.payload);
  // The same key makes it the same job; what else it has is then what the declaration says.
  await tenant.within(({ tx }) => enqueue(tx, deliverWebhook, payload));

  expect(relayed).toHaveLength(1);
  expect(payload).toMatchObject({ tenant_id: tenant.id, attempt: 1 });
  expect(await jobs()).toEqual(relayed);
});

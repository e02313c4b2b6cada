import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { emit } from '../../jobs/webhooks/emit.ts';
import { sql } from '../../sql/database/db.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const Written = z.object({ id: z.string(), body: z.string(), created_at: z.string() });

test('an event is stored once, as the bytes that will be signed', async () => {
  const tenant = await stage.tenant();
  const data = {
    document_id: randomUUID(),
    loan_id: null,
    document_type: 'correspondence',
    filename: 'Zoë "quoted" \\ \n',
  };

  await tenant.within((work) => emit(work, 'document.generated', data));

  const written = await tenant.within(({ tx }) =>
    tx.one(sql.type(Written)`select id, body, created_at from events`),
  );
  expect(JSON.parse(written.body)).toEqual({
    event_id: written.id,
    event_type: 'document.generated',
    timestamp: written.created_at,
    tenant_id: tenant.id,
    data,
  });
});

test('rolled back transactions emit no events', async () => {
  const tenant = await stage.tenant();

  const work = tenant.within(async (within) => {
    await emit(within, 'compliance.failed', {
      loan_id: randomUUID(),
      failed_checks: [],
      enforcement: 'soft',
    });
    throw new Error('The rest of the work fails.');
  });

  await expect(work).rejects.toThrow('The rest of the work fails.');
  const left = await tenant.within(({ tx }) => tx.any(sql.type(Written)`select * from events`));
  expect(left).toEqual([]);
});

import { expect, test } from 'vitest';
import { newStage } from '../setup/world.ts';
import { writes, written } from './writes.ts';

const stage = await newStage();
const tenant = await stage.tenant();

test('inserts, changes and deletions are recorded; rolled back ones are not', async () => {
  const noted = async (statement: string) => {
    const before = await writes(stage.owner);
    await stage.owner.query(statement);
    return written(before, await writes(stage.owner));
  };

  expect(await noted("update tenants set name = 'Another'")).toEqual(['tenants']);
  expect(await noted("begin; update tenants set name = 'A third'; rollback")).toEqual([]);
  expect(await noted('truncate approvals')).toEqual(['approvals']);

  const before = await writes(stage.owner);
  const made = await tenant.officer.post('/borrowers', {
    borrower_type: 'individual',
    first_name: 'Ada',
    last_name: 'Byron',
  });

  expect(made.status).toBe(201);
  expect(written(before, await writes(stage.owner))).toContain('borrowers');
});

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Files } from '../../jobs/files/files.ts';
import { generateNachaFile } from '../../jobs/payments/nacha/generate-file.ts';
import { SYSTEM, createWithin, type Within } from '../../jobs/work.ts';
import {
  sliceColumns,
  expectControls,
  createdId,
  parseNachaFile,
  readSentFile,
  newLoanWithAccount,
} from '../setup/nacha.ts';
import { expectLayout } from '../setup/nacha-layout.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

/** The transactions of sending a file: unfinished files, the order, the text, the store, the mark. */
const STEPS = 5;

/** Transactions and a store of a process that dies before its nth step. */
function dyingAt(dying: number): { within: Within; files: Files } {
  let steps = 0;
  const step = () => {
    steps += 1;
    if (steps === dying) throw new Error('The process dies here.');
  };
  const within = createWithin(stage.pool, SYSTEM, stage.installation);
  const { files } = stage.installation;
  return {
    within: async (...given) => {
      step();
      return within(...given);
    },
    files: new Proxy(files, {
      get: (target, name) =>
        name === 'put'
          ? async (...given: Parameters<Files['put']>) => {
              step();
              return target.put(...given);
            }
          : Reflect.get(target, name),
    }),
  };
}

test('whichever step a process dies at, each order is in one whole file after the repeat', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id, account: payment_instrument_id } = await newLoanWithAccount(tenant);
  const orders: string[] = [];
  const pay = async () => {
    const named = { amount: `${orders.length + 1}.00`, payment_instrument_id };
    orders.push(createdId(await tenant.officer.post(`/loans/${id}/payments`, named)));
  };
  const healthy = dyingAt(Infinity);
  for (let dying = 1; dying <= STEPS; dying += 1) {
    await pay();
    const { within, files } = dyingAt(dying);
    await expect(generateNachaFile(within, files, tenant.id, {})).rejects.toThrow('dies here');
    await pay();
    await generateNachaFile(healthy.within, healthy.files, tenant.id, {});
  }

  const sent = await stage.owner.query<{ payment_id: string }>(
    'select payment_id from nacha_entries where tenant_id = $1',
    [tenant.id],
  );
  const { body: files } = await admin.get('/nacha-files');
  const cents: number[] = [];
  for (const file of files) {
    const text = await readSentFile(stage, tenant, file.filename);
    const parsed = parseNachaFile(text);
    expectControls(parsed);
    expectLayout(parsed.lines);
    expect(file).toMatchObject({
      status: 'completed',
      file_size: text.length,
      sha256_hash: createHash('sha256').update(text).digest('hex'),
    });
    const entries = parsed.batches.flatMap(({ entries }) => entries);
    cents.push(...entries.map((entry) => Number(sliceColumns(entry, 30, 39))));
  }
  expect(sent.rows.map(({ payment_id }) => payment_id).toSorted()).toEqual(orders.toSorted());
  expect(cents.toSorted((one, other) => one - other)).toEqual(
    orders.map((_, index) => (index + 1) * 100),
  );
});

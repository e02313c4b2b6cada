import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { mapConcurrently, runInGroups } from '../../sql/database/batch-by-transaction.ts';

/** Takes several turns of the event loop, like a statement. */
async function waitForAnswer() {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
}

test('the next group is prepared while a group runs, and begins after it', async () => {
  const steps: string[] = [];

  await runInGroups([1, 2, 3, 4], 2, {
    prepare: (item) => Promise.resolve(void steps.push(`prepare ${item}`)).then(() => item),
    async run(item) {
      steps.push(`run ${item}`);
      await waitForAnswer();
      steps.push(`end ${item}`);
    },
  });

  expect(steps.join(', ')).toBe(
    'prepare 1, prepare 2, run 1, run 2, prepare 3, prepare 4, end 1, end 2, run 3, run 4, end 3, end 4',
  );
});

test.for([
  { failing: 'prepare', begun: [1, 2] },
  { failing: 'run', begun: [1, 2] },
])('after $failing fails, nothing runs on and nothing begins', async ({ failing, begun }) => {
  const ran: number[] = [];
  const ended: number[] = [];

  const all = runInGroups([1, 2, 3, 4, 5, 6], 2, {
    prepare: (item) =>
      failing === 'prepare' && item === 3
        ? Promise.reject(new Error('Item 3 is wrong.'))
        : Promise.resolve(item),
    async run(item) {
      ran.push(item);
      if (failing === 'run' && item === 1) throw new Error('Item 1 is wrong.');
      await waitForAnswer();
      ended.push(item);
    },
  });

  await expect(all).rejects.toThrow('is wrong');
  expect(ran).toEqual(begun);
  expect(ended).toEqual(failing === 'run' ? [2] : [1, 2]);
});

const failAfter = async (turns: number, message: string) => {
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
  throw new Error(message);
};

test('of several failures in one transaction, the first one is thrown, because it caused the others', async () => {
  const items = mapConcurrently([20, 10], (turns) => failAfter(turns, `After ${turns}.`));
  const groups = (running: number, preparing: number) =>
    runInGroups([1, 2], 1, {
      prepare: (item) =>
        item === 1 ? Promise.resolve(item) : failAfter(preparing, 'While it is prepared.'),
      run: () => failAfter(running, 'While it runs.'),
    });

  await expect(items).rejects.toThrow('After 10.');
  await expect(groups(5, 20)).rejects.toThrow('While it runs.');
  await expect(groups(20, 5)).rejects.toThrow('While it is prepared.');
});

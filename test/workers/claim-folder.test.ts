import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimFolder } from '../../sql/database/claim.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'claim-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const CLAIM = new URL('../../sql/database/claim.ts', import.meta.url).href;
const PROGRAM = `
  const { claimFolder } = await import(${JSON.stringify(CLAIM)});
  process.stdout.write('ready\\n');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  await claimFolder(process.argv[1]).then(
    () => process.stdout.write('won\\n'),
    (error) => process.stdout.write(error.message + '\\n'),
  );
`;

/** A process that claims the folder on command and then stays. */
function racer(place: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, place]);
  const lines: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().split('\n').filter(Boolean)) {
      const next = waiting.shift();
      if (next) next(line);
      else lines.push(line);
    }
  });
  const line = () =>
    new Promise<string>((resolve) => {
      const line = lines.shift();
      if (line === undefined) waiting.push(resolve);
      else resolve(line);
    });
  return { child, line, go: () => child.stdin.write('go\n') };
}

const kill = (child: ChildProcess) =>
  new Promise((resolve) => {
    child.once('exit', resolve);
    child.kill('SIGKILL');
  });

test('of two processes that start at the same moment one gets the folder, twenty times in a row', async () => {
  const place = path.join(folder, 'raced');
  for (let round = 0; round < 20; round += 1) {
    const racers = [racer(place), racer(place)];
    await Promise.all(racers.map(({ line }) => line()));
    for (const { go } of racers) go();
    const lines = await Promise.all(racers.map(({ line }) => line()));
    const winner = racers[lines.indexOf('won')];
    const [loser = ''] = lines.filter((line) => line !== 'won');

    expect(lines.filter((line) => line === 'won')).toHaveLength(1);
    expect(loser).toContain(`in use by process ${winner?.child.pid} (node`);
    // Kills both without a chance to clean up.
    await Promise.all(racers.map(({ child }) => kill(child)));
  }
  expect(readdirSync(place).sort()).toEqual(['in-use-by.json', 'in-use.lock']);
});

test('a note that names a living process does not block a start once its lock is gone', async () => {
  const place = path.join(folder, 'noted');
  const first = await claimFolder(place);
  first.release();
  const note = JSON.stringify({ pid: process.pid, command: 'node' });
  writeFileSync(path.join(place, 'in-use-by.json'), note);

  const second = await claimFolder(place);

  expect([first.isHeld(), second.isHeld()]).toEqual([false, true]);
  second.release();
});

test('a folder that does not exist and cannot be created is named', async () => {
  const file = path.join(folder, 'file');
  writeFileSync(file, '');

  await expect(claimFolder(file)).rejects.toThrow(`${file} is a file, not a folder`);
  await expect(claimFolder('/proc/nowhere')).rejects.toThrow('/proc/nowhere cannot be written to');
});

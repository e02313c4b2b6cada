import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readTape } from '../../jobs/loans/tape.ts';
import { runDays } from './days.ts';
import { compareInstallments, fromTheStart, periodOf } from './loans.ts';
import type { DemoOptions } from './options.ts';
import { startPlatform, type Platform } from './platform.ts';
import { startReceiver } from './receiver.ts';
import { setStage } from './stage.ts';

/** Runs the demo and answers its exit code: 1 if the books do not balance. */
export async function runDemo(options: DemoOptions): Promise<number> {
  const tape = readTape(readFileSync(options.tape, 'utf8'));
  console.log(tape.rows.length, tape.refusals);
  const comparison = compareInstallments(tape.rows);
  console.log(comparison);
  const { first, through } = periodOf(tape.rows, options.through);
  const rows = tape.rows.map(fromTheStart).filter((row) => row.origination_date <= through);
  const secret = randomBytes(32).toString('hex');
  const receiver = await startReceiver(secret);
  let platform: Platform | undefined;
  try {
    platform = await startPlatform({
      folder: path.join(options.out, 'platform'),
      certificate: receiver.certificate,
      onNews: (sentence) => console.log(sentence),
    });
    const stage = await setStage(platform, receiver, secret, first);
    const file = path.basename(options.tape);
    console.log(await runDays(platform, stage, { file, rows, first, through }));
    console.log(receiver.received(), receiver.forged());
    console.log(await stage.officer.get('/ledger/trial-balance'));
    return 0;
  } finally {
    await platform?.stop();
    receiver.close();
  }
}

import { sayError } from '../jobs/say-error.ts';
import { CannotStart, endPlainly } from '../sql/database/cannot-start.ts';
import { runDemo } from './demo/demo.ts';
import { readOptions } from './demo/options.ts';
import { watchSignals } from './demo/signals.ts';

/** `npm run demo`: the main job, end to end, on a tape of loans. */
endPlainly();
const asked = watchSignals();
try {
  process.exitCode = await runDemo(readOptions(process.argv.slice(2), process.env), asked);
} catch (error) {
  if (asked.code() === null)
    console.error(error instanceof CannotStart ? error.message : sayError(error));
  process.exitCode = 1;
}
// Steps that were left standing have nothing to add.
const code = asked.code();
if (code !== null) process.exit(code);

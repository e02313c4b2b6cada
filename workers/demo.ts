import { serializeError } from '../jobs/serialize-error.ts';
import { StartupError, exitOnUncaughtError } from '../sql/database/startup-error.ts';
import { runDemo } from './demo/demo.ts';
import { readOptions } from './demo/options.ts';
import { watchSignals } from './demo/signals.ts';

/** `npm run demo` services a tape of loans from end to end. */
exitOnUncaughtError();
const asked = watchSignals();
try {
  process.exitCode = await runDemo(readOptions(process.argv.slice(2), process.env), asked);
} catch (error) {
  if (asked.code() === null)
    console.error(error instanceof StartupError ? error.message : serializeError(error));
  process.exitCode = 1;
}
// After a stop request, exit without waiting for unfinished steps.
const code = asked.code();
if (code !== null) process.exit(code);

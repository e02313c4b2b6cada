import { serializeError } from '../jobs/monitoring/serialize-error.ts';
import { StartupError, exitOnUncaughtError } from '../sql/database/startup-error.ts';
import { runDemo } from './demo/demo.ts';
import { readOptions } from './demo/options.ts';
import { watchSignals } from './demo/signals.ts';

/** `npm run demo` services a tape of loans from end to end. */
exitOnUncaughtError();
const stopSignals = watchSignals();
try {
  process.exitCode = await runDemo(readOptions(process.argv.slice(2), process.env), stopSignals);
} catch (error) {
  if (stopSignals.code() === null)
    console.error(error instanceof StartupError ? error.message : serializeError(error));
  process.exitCode = 1;
}
// After a stop request, exit without waiting for unfinished steps.
const signalExitCode = stopSignals.code();
if (signalExitCode !== null) process.exit(signalExitCode);

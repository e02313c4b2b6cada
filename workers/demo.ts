import { sayError } from '../jobs/say-error.ts';
import { runDemo } from './demo/demo.ts';
import { readOptions, USAGE } from './demo/options.ts';

/** `npm run demo`: the main job, end to end, on a tape of loans. */
try {
  process.exitCode = await runDemo(readOptions(process.argv.slice(2)));
} catch (error) {
  const isMisuse = (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
  console.error(isMisuse ? `${(error as Error).message}\n${USAGE}` : sayError(error));
  process.exitCode = 1;
}

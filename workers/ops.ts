import { runOperation } from './ops/run-operation.ts';

/** `npm run ops -- NAME …` runs an operator command on a running platform. */
try {
  const [name, ...rest] = process.argv.slice(2);
  process.exitCode = await runOperation(name, rest, process.env);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

import { routes } from './routes.ts';

/** `npm run routes`: the whole API as a table; with --json, one object a line. */
for (const { method, path, allow, summary } of routes) {
  console.log(
    process.argv.includes('--json')
      ? JSON.stringify({ method, path, role: allow })
      : `${method.padEnd(7)}${path.padEnd(62)}${allow.padEnd(14)}${summary}`,
  );
}

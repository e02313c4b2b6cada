import { findDeclarationSites } from './endpoints/declaration-sites.ts';
import { routes } from './routes.ts';

/**
 * `npm run routes` prints every endpoint and the place of its declaration. With --json it prints one object
 * per line.
 */
for (const [{ method, path, allow, summary }, { file, line }] of findDeclarationSites(routes)) {
  console.log(
    process.argv.includes('--json')
      ? JSON.stringify({ method, path, role: allow, file, line })
      : `${method.padEnd(7)}${path.padEnd(62)}${allow.padEnd(14)}${`${file}:${line}`.padEnd(44)}${summary}`,
  );
}

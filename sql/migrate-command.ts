import { z } from 'zod';
import { migrate } from './migrate.ts';

/** `npm run migrate`: brings DATABASE_URL to the newest schema. Part of a deploy, never of a start. */
const url = process.env['DATABASE_URL'];
if (!url) {
  console.error(
    'DATABASE_URL is not set: it names the database to migrate, with its owner as user.',
  );
  process.exit(2);
}
if (!z.url({ protocol: /^postgres(ql)?$/ }).safeParse(url).success) {
  console.error('DATABASE_URL is not an address like postgresql://owner@host/database.');
  process.exit(1);
}
try {
  const applied = await migrate(url);
  for (const name of applied) console.log(`applied ${name}`);
  console.log(applied.length === 0 ? 'The schema is up to date.' : 'The schema is now up to date.');
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}

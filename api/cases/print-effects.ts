import { effectsTable } from './cases-guide.ts';

/** `npm run effects` prints what each legal condition changes, as a Markdown table. */
console.log(effectsTable());

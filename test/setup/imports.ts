import { createWithin, SYSTEM } from '../../jobs/work.ts';
import type { Client } from './client.ts';
import { multipartForm, postForm } from './forms.ts';
import { runJobs } from './queue.ts';
import type { Stage } from './world.ts';

export const IMPORT_JOBS = ['check-import', 'board-import'];

/** What the jobs of an import need from a worker. */
export const lentTo = (stage: Stage) => ({
  within: createWithin(stage.pool, SYSTEM, stage.installation),
  files: stage.installation.files,
});

/** Uploads a book over HTTP. */
export const uploadBook = (
  client: Client,
  content: string,
  fields: Record<string, string> = {},
  name = 'loans.csv',
) => postForm(client, '/imports', multipartForm(fields, [{ name, type: 'text/csv', content }]));

/** Runs the waiting jobs of imports. */
export const runImports = (stage: Stage) => runJobs(stage, lentTo(stage), IMPORT_JOBS);

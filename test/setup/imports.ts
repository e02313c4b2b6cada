import { Big } from 'big.js';
import { expect } from 'vitest';
import { importBook } from '../../jobs/books/imports/import-book.ts';
import { zipped } from '../../jobs/files/zip.ts';
import { createWithin, SYSTEM } from '../../jobs/work.ts';
import type { Client } from './client.ts';
import { multipartForm, postForm } from './forms.ts';
import { runJobs } from './queue.ts';
import { zipOf as zipOfFiles } from './exported-books.ts';
import type { Stage, Tenant } from './world.ts';

const IMPORT_JOBS = ['check-import', 'board-import'];

/** What the jobs of an import need from a worker. */
export const lentTo = (stage: Stage) => ({
  within: createWithin(stage.pool, SYSTEM, stage.installation),
  files: stage.installation.files,
});

const PLACE = '<the file>';

/** Uploads a book over HTTP. */
export function uploadBook(
  client: Client,
  content: string | Uint8Array,
  fields: Record<string, string> = {},
  name = 'loans.csv',
) {
  const form = multipartForm(fields, [{ name, type: 'text/csv', content: PLACE }]);
  const [before = '', after = ''] = form.split(PLACE);
  const parts = [before, content, after].map((part) => Buffer.from(part as string));
  return postForm(client, '/imports', Buffer.concat(parts));
}

/** Runs the waiting jobs of imports. */
export const runImports = (stage: Stage) => runJobs(stage, lentTo(stage), IMPORT_JOBS);

/** Imports a CSV file of loans at once. Returns the ids of the loans in its order. */
export const importTape = async ({ within }: Pick<Tenant, 'within'>, csv: string) => {
  const loans = await within((work) =>
    importBook(work, Buffer.from(csv), { filename: 'a tape.csv' }),
  );
  return [...loans.values()];
};

/** A book as a zip. */
export async function zipOf(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  async function* entries() {
    for (const [path, content] of Object.entries(files))
      yield await Promise.resolve({ path, content: Buffer.from(content) });
  }
  const pieces = await Array.fromAsync(zipped(entries(), new Date(Date.UTC(2026, 0, 15))));
  return Buffer.concat(pieces);
}

/** Imports a zip of the files over HTTP, with the totals that the check found. Returns the findings of the boarding. */
export async function importBookByHttp(
  stage: Stage,
  tenant: Tenant,
  files: ReadonlyMap<string, Buffer>,
) {
  const admin = await tenant.signedIn('admin');
  const sent = await uploadBook(admin, await zipOfFiles(files), {}, 'book.zip');
  const path = `/imports/${sent.body.id}`;
  await runImports(stage);
  const checked = (await admin.get(path)).body;
  const found = (await admin.get(`${path}/findings`)).body;
  expect(checked, JSON.stringify(found)).toMatchObject({ status: 'checked' });
  const totals = checked.control_totals as { loans: number; principal: string }[];
  await admin.post(`${path}/confirm`, {
    loan_count: totals.reduce((count, one) => count + one.loans, 0),
    principal_total: totals.reduce((all, one) => all.plus(one.principal), new Big(0)).toFixed(2),
  });
  await runImports(stage);
  const boarded = (await admin.get(path)).body;
  expect(boarded, JSON.stringify((await admin.get(`${path}/findings`)).body)).toMatchObject({
    status: 'boarded',
  });
  return (await admin.get(`${path}/findings`)).body as Record<string, unknown>[];
}

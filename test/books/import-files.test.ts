import { expect, test } from 'vitest';
import { boardImportJob } from '../../jobs/books/imports/board-import.job.ts';
import { confirmImport } from '../../jobs/books/imports/confirm-import.ts';
import { createImport } from '../../jobs/books/imports/create-import.ts';
import { removeAbandonedBooks } from '../../jobs/books/imports/remove-abandoned.ts';
import { tapeLine, tapeText } from '../setup/boarding-tapes.ts';
import { multipartForm, postForm } from '../setup/forms.ts';
import { lentTo, runImports, uploadBook } from '../setup/imports.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const BOOK = tapeText(tapeLine());
const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
const TOTALS = { loan_count: 1, principal_total: '9756.53' };

async function newLender() {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = (await uploadBook(admin, BOOK)).body as { id: string };
  await runImports(stage);
  const read = async () => (await admin.get(`/imports/${id}`)).body;
  const place = async () => {
    const { rows } = await stage.owner.query<{ storage_key: string; file_key_sealed: string }>(
      'select storage_key, file_key_sealed from imports where id = $1',
      [id],
    );
    return rows[0];
  };
  return { tenant, admin, id, read, place };
}

test('a file that is uploaded again while its totals are being confirmed leaves the import confirmed', async () => {
  const { tenant, admin, id, read } = await newLender();
  const confirmed = Promise.withResolvers<undefined>();
  const held = Promise.withResolvers<undefined>();
  const confirming = tenant.within(async (work) => {
    await confirmImport(work, id, TOTALS);
    confirmed.resolve(undefined);
    await held.promise;
  });
  await confirmed.promise;

  const uploading = uploadBook(admin, BOOK);
  await expect.poll(async () => (await stage.owner.query(WAITING)).rowCount).toBe(1);
  held.resolve(undefined);
  await confirming;
  const again = await uploading;

  expect(again.body).toMatchObject({ id, status: 'confirmed' });
  expect(await read()).toMatchObject({ status: 'confirmed' });
});

test('a command that is given an uploaded book keeps its stored file', async () => {
  const { tenant, read, place } = await newLender();
  const before = await place();
  const { filename, sha256_hash, file_size, mapping } = await read();

  await tenant.within((work) =>
    createImport(work, { filename, sha256_hash, file_size, mapping, options: {}, isStored: false }),
  );

  expect(before?.storage_key).toContain('imports');
  expect(await place()).toEqual(before);
});

test('an import whose file only the command has is not confirmed over the API', async () => {
  const { admin, id, read } = await newLender();
  await stage.owner.query(
    'update imports set storage_key = null, file_key_sealed = null where id = $1',
    [id],
  );

  const answer = await admin.post(`/imports/${id}/confirm`, TOTALS);

  expect(answer).toMatchObject({ status: 409, body: { code: 'file_missing' } });
  expect(await read()).toMatchObject({ status: 'checked' });
});

test('a worker that died after it removed the file of a boarded import finishes the removal', async () => {
  const { tenant, admin, id, read, place } = await newLender();
  const before = await place();
  await admin.post(`/imports/${id}/confirm`, TOTALS);
  await runImports(stage);
  await stage.owner.query(
    'update imports set storage_key = $2, file_key_sealed = $3 where id = $1',
    [id, before?.storage_key, before?.file_key_sealed],
  );

  await boardImportJob.run({ tenant_id: tenant.id, import_id: id }, lentTo(stage) as never);

  expect(await read()).toMatchObject({ status: 'boarded', loans_boarded: 1 });
  expect(await place()).toEqual({ storage_key: null, file_key_sealed: null });
});

test('an unfinished import that nobody changes for 90 days is canceled, and its file removed', async () => {
  const { tenant, admin, id, read, place } = await newLender();
  const { storage_key = '' } = (await place()) ?? {};
  const age = (days: number) =>
    stage.owner.query(`begin; set local app.sealing = 'on';
      update imports set updated_at = now() - interval '${days} days' where id = '${id}'; commit`);
  const { files, within } = lentTo(stage);

  await age(89);
  await removeAbandonedBooks({ within, files } as never, tenant.id);
  const young = await read();
  await age(91);
  await removeAbandonedBooks({ within, files } as never, tenant.id);

  expect(young).toMatchObject({ status: 'checked' });
  expect(await read()).toMatchObject({ status: 'canceled' });
  expect(await place()).toEqual({ storage_key: null, file_key_sealed: null });
  expect(await files.get(storage_key)).toBeNull();
  const next = await uploadBook(admin, BOOK);
  expect(next.body.id).not.toBe(id);
});

test('the file of a comparison that was never made is removed after 90 days', async () => {
  const { tenant, admin } = await newLender();
  const content = 'loan_number,as_of_date,principal\nT-1,2026-01-15,1.00';
  const form = multipartForm({}, [{ name: 'figures.csv', type: 'text/csv', content }]);
  const { id } = (await postForm(admin, '/reconciliations', form)).body as { id: string };
  await stage.owner.query(`begin; set local app.sealing = 'on';
    update reconciliations set updated_at = now() - interval '91 days' where id = '${id}'; commit`);

  await removeAbandonedBooks(lentTo(stage) as never, tenant.id);

  const { body } = await admin.get(`/reconciliations/${id}`);
  expect(body).toMatchObject({ status: 'failed', failure_reason: expect.stringContaining('90') });
  const { rows } = await stage.owner.query(
    'select storage_key, file_key_sealed from reconciliations where id = $1',
    [id],
  );
  expect(rows).toEqual([{ storage_key: null, file_key_sealed: null }]);
});

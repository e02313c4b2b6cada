import { expect, test } from 'vitest';
import { stageBook } from '../../jobs/books/imports/stage-book.ts';
import { DEFAULT_INSTALLATION } from '../../jobs/installation.ts';
import { deriveKeys } from '../../jobs/sealing/secrets.ts';
import { openPool } from '../../sql/database/db.ts';
import { resealSecrets } from '../../workers/ops/reseal-secrets.ts';
import { bookOf } from '../setup/books.ts';
import { tapeLine, tapeText } from '../setup/boarding-tapes.ts';
import { lentTo, runImports, uploadBook } from '../setup/imports.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const BOOK = tapeText(tapeLine());
const FORMER = 'the former secret of this installation';
const NEXT = '2026b:the next secret of this installation';

test('a book is checked and boarded although the key that sealed its file and rows was replaced and removed', async () => {
  stage.installation.keys = deriveKeys(FORMER);
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const upload = async (fields: Record<string, string>) => {
    const { id } = (await uploadBook(admin, BOOK, fields)).body as { id: string };
    await runImports(stage);
    return id;
  };
  const checked = await upload({ accepted_warnings: 'payment_below_interest' });
  const staged = await upload({});
  await stage.owner.query(`update imports set status = 'boarding' where id = $1`, [staged]);
  await stageBook(lentTo(stage).within, tenant.id, staged, bookOf({ 'loans.csv': BOOK }));
  const worker = await openPool(stage.url, { role: 'servicing_worker', size: 1 });

  const answer = await resealSecrets.run({
    url: stage.url,
    owner: worker,
    app: stage.pool,
    words: [],
    options: {},
    newPassword: undefined,
    secret: `${NEXT},${FORMER}`,
    installation: DEFAULT_INSTALLATION,
  });
  await worker.end();
  stage.installation.keys = deriveKeys(NEXT);
  await admin.post(`/imports/${checked}/check`);
  await runImports(stage);
  await stage.owner.query(
    `update imports set status = 'failed', confirmed_at = now() where id = $1`,
    [staged],
  );
  await admin.post(`/imports/${staged}/resume`);
  await runImports(stage);

  // The keys of both files, and a row.
  expect(answer.rows).toMatchObject([{ key: '2026b', sealed: 3 }]);
  expect((await admin.get(`/imports/${checked}`)).body).toMatchObject({ status: 'checked' });
  expect((await admin.get(`/imports/${staged}`)).body).toMatchObject({ status: 'boarded' });
});

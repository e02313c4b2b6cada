import { expect, test } from 'vitest';
import { DocumentTooSlow } from '../../jobs/files/render-errors.ts';
import type { ExternalServices } from '../../jobs/external-systems.ts';
import { newLoan } from '../setup/loans.ts';
import { png, SVG_SHAPE, svg } from '../setup/logos.ts';
import { newOutside } from '../setup/outside.ts';
import { runJobs } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const outside = newOutside(stage.pool);
Object.assign(stage.installation, { files: outside.files });
const URL_OF_LOGO = 'https://cdn.bank.example/logo';

const setLogo = async (tenant: Tenant, logo_url: string) => {
  const superadmin = await tenant.signedIn('superadmin');
  const set = await superadmin.put('/tenant/settings', { branding: { logo_url } });
  expect(set.status, JSON.stringify(set.body)).toBe(200);
  return superadmin;
};
const run = () => runJobs(stage, outside, ['fetch-logo', 'verify-logo', 'render-document']);
const arrives = (bytes: Buffer) => outside.answers.download.push({ status: 200, bytes });

test('a logo is fetched when set, and a letter uses the logo of its day', async () => {
  const tenant = await stage.tenant();
  const loan = await newLoan(tenant, { status: 'pending' });
  const superadmin = await setLogo(tenant, URL_OF_LOGO);
  const waiting = await tenant.officer.get('/tenant/logo');
  arrives(png(300, 80));
  await run();
  const here = await tenant.officer.get('/tenant/logo');
  // Ordered with this logo and printed after the logo has changed.
  const approved = await tenant.officer.post(`/loans/${loan.id}/approve`);
  arrives(svg(SVG_SHAPE));
  const asked = await superadmin.post('/tenant/logo', {});
  const twice = await superadmin.post('/tenant/logo', {});
  await runJobs(stage, outside, ['fetch-logo', 'verify-logo']);
  const before = outside.pages.length;
  await run();

  expect(approved.status, JSON.stringify(approved.body)).toBe(200);
  expect(waiting.body).toMatchObject({ url: URL_OF_LOGO, status: 'pending', problem: null });
  expect(here.body).toMatchObject({ status: 'ready', content_type: 'image/png', width: 300 });
  const { rows } = await stage.owner.query(
    `select actor_email, changes from audit_log where action = 'fetch-logo'`,
  );

  expect(rows).toEqual([
    {
      actor_email: `superadmin@${tenant.slug}.test`,
      changes: { logo: { old: 'ready', new: 'pending' } },
    },
  ]);
  expect([asked, twice]).toMatchObject([{ status: 200 }, { body: asked.body }]);
  expect((await tenant.officer.get('/tenant/logo')).body.content_type).toBe('image/svg+xml');
  const printed = outside.pages.slice(before).join('');
  expect(printed).toContain(`<img src="data:image/png;base64,${png(300, 80).toString('base64')}"`);
  expect(printed).not.toContain('image/svg+xml');
});

test('an invalid logo is reported, and letters use the name instead', async () => {
  const tenant = await stage.tenant();
  const superadmin = await setLogo(tenant, URL_OF_LOGO);
  outside.answers.download.push({ status: 404, bytes: Buffer.from('Not found') });
  await run();
  const missing = await tenant.officer.get('/tenant/logo');
  await superadmin.post('/tenant/logo', {});
  outside.answers.download.push({ error: 'No answer within 10 seconds.' });
  await run();
  const silent = await tenant.officer.get('/tenant/logo');
  const forbidden = await tenant.officer.post('/tenant/logo', {});
  await setLogo(tenant, '');
  const none = await tenant.officer.get('/tenant/logo');
  const nothing = await superadmin.post('/tenant/logo', {});

  expect(missing.body).toMatchObject({ status: 'failed', problem: expect.stringContaining('404') });
  expect(silent.body.problem).toBe('No answer within 10 seconds.');
  expect(forbidden.status).toBe(403);
  expect(none.body).toMatchObject({ url: '', status: 'none' });
  expect(nothing).toMatchObject({ status: 409, body: { code: 'no_logo' } });
});

test('a logo is fetched at most twenty times a day, because each result is stored', async () => {
  const tenant = await stage.tenant();
  const superadmin = await setLogo(tenant, URL_OF_LOGO);
  await run();
  await stage.owner.query(
    `insert into logos (tenant_id, url, status, problem)
     select tenant_id, url, 'failed', 'It is empty.' from logos, generate_series(2, 20)
     where tenant_id = $1`,
    [tenant.id],
  );

  const again = await superadmin.post('/tenant/logo', {});
  const other = await superadmin.put('/tenant/settings', {
    branding: { logo_url: `${URL_OF_LOGO}/2` },
  });

  for (const refused of [again, other])
    expect(refused).toMatchObject({ status: 409, body: { code: 'too_many_logos' } });
});

test('a picture is test-printed before letters use it, and one that crashes the browser is refused', async () => {
  const tenant = await stage.tenant();
  const superadmin = await setLogo(tenant, URL_OF_LOGO);
  const seen: unknown[] = [];
  const shown = async () => seen.push((await tenant.officer.get('/tenant/logo')).body);
  const asked: unknown[] = [];
  for (const printed of [
    () => Promise.reject(new DocumentTooSlow('The document was not printed within 2000 ms.')),
    async () => ({ bytes: Buffer.alloc(1_000_001), pages: 1 }),
    async () => ({ bytes: Buffer.alloc(10_000), pages: 1 }),
  ]) {
    if (asked.length > 0) await superadmin.post('/tenant/logo', {});
    arrives(svg(SVG_SHAPE));
    await runJobs(stage, outside, ['fetch-logo']);
    await shown();
    const pdf: ExternalServices['pdf'] = (html, options) => {
      asked.push([html, options]);
      return printed();
    };
    await runJobs(stage, { ...outside, pdf }, ['verify-logo']);
    await shown();
  }

  const waiting = { status: 'pending', problem: null };
  expect(seen).toMatchObject([
    waiting,
    { status: 'failed', problem: expect.stringContaining('more than 2 seconds'), width: null },
    waiting,
    { status: 'failed', problem: expect.stringContaining('more than 1 MB') },
    waiting,
    { status: 'ready', problem: null },
  ]);
  const page = expect.stringContaining('<img style="max-height: 0.7in; max-width: 3in" src="data:');
  expect(asked).toEqual(Array.from({ length: 3 }, () => [page, { timeout_ms: 2_000 }]));
});

test('the same picture is stored once, and several requests fetch it once', async () => {
  const tenant = await stage.tenant();
  const superadmin = await setLogo(tenant, URL_OF_LOGO);
  arrives(png(300, 80));
  await run();
  const here = await tenant.officer.get('/tenant/logo');
  await superadmin.post('/tenant/logo', {});
  outside.answers.download.push({ status: 404, bytes: Buffer.from('Not found') });
  await run();
  const requests = Array.from({ length: 4 }, () => superadmin.post('/tenant/logo', {}));
  const replies = await Promise.all(requests);
  arrives(png(300, 80));
  const ran = await run();

  expect(replies.map(({ body }) => body.status)).toEqual(Array(4).fill('pending'));
  expect(ran).toBe(1);
  expect((await tenant.officer.get('/tenant/logo')).body).toEqual(here.body);
  const { rows } = await stage.owner.query('select status from logos where tenant_id = $1', [
    tenant.id,
  ]);
  expect(rows).toEqual([{ status: 'ready' }]);
});

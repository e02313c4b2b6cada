import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { judgePicture } from '../../jobs/users/branding/logo-picture.ts';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { drain } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const outside = newOutside(stage.pool);
Object.assign(stage.installation, { files: outside.files });
const URL_OF_LOGO = 'https://cdn.bank.example/logo';

/** A whole PNG of one colour, as small as its size allows. */
function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const chunk = (name: string, data: Buffer) => {
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length);
    frame.write(name, 4, 'latin1');
    return Buffer.concat([frame, data, Buffer.alloc(4)]);
  };
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync('x'))]);
}

/** The beginning of a JPEG: an application segment, and the frame with the size. */
const jpeg = (width: number, height: number) =>
  Buffer.from([
    ...[0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 11, 8],
    ...[height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0],
  ]);

const svg = (inner: string, more = '') =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"${more}>${inner}</svg>`);
const SHAPE = '<path d="M0 0h10v10z" fill="#a00"/>';

test.each([
  ['a PNG', png(300, 80), { content_type: 'image/png', width: 300, height: 80 }],
  ['a JPEG', jpeg(640, 200), { content_type: 'image/jpeg', width: 640, height: 200 }],
  ['an SVG', svg(SHAPE), { content_type: 'image/svg+xml', width: null }],
])('%s is known by its bytes, with its size', (_kind, bytes, expected) => {
  expect(judgePicture(bytes)).toMatchObject(expected);
});

test.each([
  ['a picture that unfolds in memory', png(30_000, 30_000), '30000 by 30000'],
  ['a picture without a side', png(0, 80), '0 by 80'],
  ['a JPEG that ends before its size', jpeg(9, 9).subarray(0, 12), 'broken JPEG'],
  ['a page', Buffer.from('<!doctype html><p>Not found'), 'neither a PNG'],
  ['nothing', Buffer.alloc(0), 'empty'],
  ['a drawing whose look is a style sheet', svg(`<style>.a{fill:red}</style>${SHAPE}`), '<style>'],
  ['a drawing that multiplies itself', svg(`${SHAPE}<use href="#a"/>`), '<use>'],
  ['a drawing with a picture of elsewhere', svg('<image href="https://x.example"/>'), '<image>'],
  ['a drawing of too many shapes', svg(SHAPE.repeat(6_000)), 'more than 5000'],
  ['a drawing of too many arcs', svg(`<path d="M0 0${'a1 1 0 0 1 9 9'.repeat(4_000)}"/>`), '50 kB'],
  ['a line of endless dashes', svg('<path d="M0 0h9" style="stroke-dasharray:1e-9"/>'), 'dashed'],
  [
    'a clip within a clip',
    svg(`<clipPath id="b"><clipPath/><rect clip-path="url(#a)"/></clipPath>${SHAPE}`),
    'a clip within a clip',
  ],
  ['a clip of a clip', svg(`<clipPath clip-path="url(#a)"/>${SHAPE}`), 'a clip within a clip'],
  ['many clips', svg(`<g clip-path="url(#a)">${SHAPE}</g>`.repeat(51)), 'more than 50 clips'],
  ['a drawing of nothing', svg('<title>Bank</title>'), 'draws nothing'],
])('%s is no logo, and the reason is said', (_what, bytes, problem) => {
  expect(judgePicture(bytes)).toEqual({ problem: expect.stringContaining(problem) });
});

test('an SVG whose colours are styles keeps them, as attributes', () => {
  const styles = 'fill:#a00; stroke:none;stroke-dasharray:none;background:url(https://x.example)';
  const judged = judgePicture(svg(`<rect width="5" fill="#000" style="${styles}"/>`));

  const text = 'bytes' in judged ? judged.bytes.toString() : judged.problem;
  expect(text).toContain(
    '<rect width="5" fill="#a00" stroke="none" stroke-dasharray="none"></rect>',
  );
});

test('an SVG keeps its shapes and colours, and nothing that runs or reaches out', () => {
  const hostile = [
    '<script>alert(1)</script><foreignObject><body onload="a()"/></foreignObject>',
    '<g onclick="alert(1)" style="background:url(https://x.example)">',
    '<rect width="5" height="5" fill="url(https://x.example/a)"/>',
    '<circle r="2" fill="url(#shade)" clip-path="url( data:x )"/></g>',
    '<a href="javascript:alert(1)"><path d="M1 1h2" stroke="red"/></a>',
    '<animate attributeName="href" to="javascript:alert(1)"/>&lt;b&gt;',
  ].join('');
  const entities = '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>';
  const judged = judgePicture(
    Buffer.concat([Buffer.from(entities), svg(`${hostile}&x;`, ' onload="a()"')]),
  );

  const text = 'bytes' in judged ? judged.bytes.toString() : judged.problem;
  expect(text).toContain('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10">');
  expect(text).toContain('<circle r="2" fill="url(#shade)"></circle>');
  expect(text).toContain('<path d="M1 1h2" stroke="red"></path>');
  expect(text).not.toMatch(
    /script|onload|onclick|style|foreign|animate|https:|data:|ENTITY|passwd|href/i,
  );
});

const setLogo = async (tenant: Tenant, logo_url: string) => {
  const superadmin = await tenant.signedIn('superadmin');
  const set = await superadmin.put('/tenant/settings', { branding: { logo_url } });
  expect(set.status, JSON.stringify(set.body)).toBe(200);
  return superadmin;
};
const run = () => drain(stage, outside, ['fetch-logo', 'render-document']);
const arrives = (bytes: Buffer) => outside.answers.download.push({ status: 200, bytes });

test('a logo is fetched once it is set, and a letter is printed with the one of its day', async () => {
  const tenant = await stage.tenant();
  const loan = await newLoan(tenant, { status: 'pending' });
  const superadmin = await setLogo(tenant, URL_OF_LOGO);
  const waiting = await tenant.officer.get('/tenant/logo');
  arrives(png(300, 80));
  await run();
  const here = await tenant.officer.get('/tenant/logo');
  // Ordered with this logo, and printed once there is another.
  const approved = await tenant.officer.post(`/loans/${loan.id}/approve`);
  arrives(svg(SHAPE));
  const asked = await superadmin.post('/tenant/logo', {});
  const twice = await superadmin.post('/tenant/logo', {});
  await drain(stage, outside, ['fetch-logo']);
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

test('what is wrong with a logo is told, and letters go on with the name', async () => {
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

test('a logo is asked for twenty times a day, since each that came is kept', async () => {
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

import { expect, test } from 'vitest';
import { validatePicture } from '../../jobs/users/branding/logo-picture.ts';
import { jpeg, LONG_CLIP_PATH, png, SVG_SHAPE, svg } from '../setup/logos.ts';

test.each([
  ['a PNG', png(300, 80), { content_type: 'image/png', width: 300, height: 80 }],
  ['a JPEG', jpeg(640, 200), { content_type: 'image/jpeg', width: 640, height: 200 }],
  ['an SVG', svg(SVG_SHAPE), { content_type: 'image/svg+xml', width: null }],
])('%s is recognized by its bytes, with its size', (_kind, bytes, expected) => {
  expect(validatePicture(bytes)).toMatchObject(expected);
});

test.each([
  ['a picture that unfolds in memory', png(30_000, 30_000), '30000 by 30000'],
  ['a picture without a side', png(0, 80), '0 by 80'],
  ['a JPEG that ends before its size', jpeg(9, 9).subarray(0, 12), 'JPEG is damaged'],
  ['a page', Buffer.from('<!doctype html><p>Not found'), 'not a PNG, JPEG or SVG'],
  ['nothing', Buffer.alloc(0), 'empty'],
  [
    'a drawing whose look is a style sheet',
    svg(`<style>.a{fill:red}</style>${SVG_SHAPE}`),
    '<style>',
  ],
  ['a drawing that multiplies itself', svg(`${SVG_SHAPE}<use href="#a"/>`), '<use>'],
  ['a drawing with a picture of elsewhere', svg('<image href="https://x.example"/>'), '<image>'],
  ['a drawing of too many shapes', svg(SVG_SHAPE.repeat(6_000)), 'more than 5000'],
  ['a drawing of too many arcs', svg(`<path d="M0 0${'a1 1 0 0 1 9 9'.repeat(4_000)}"/>`), '50 kB'],
  ['a line of endless dashes', svg('<path d="M0 0h9" style="stroke-dasharray:1e-9"/>'), 'dashed'],
  [
    'a clip within a clip',
    svg(`<clipPath id="b"><clipPath/><rect clip-path="url(#a)"/></clipPath>${SVG_SHAPE}`),
    'a clip within a clip',
  ],
  ['a clip of a clip', svg(`<clipPath clip-path="url(#a)"/>${SVG_SHAPE}`), 'a clip within a clip'],
  ['many clips', svg(`<g clip-path="url(#a)">${SVG_SHAPE}</g>`.repeat(51)), 'more than 50 clips'],
  ['a drawing of nothing', svg('<title>Bank</title>'), 'draws nothing'],
])('%s is not a logo, and the reason is shown', (_what, bytes, problem) => {
  expect(validatePicture(bytes)).toEqual({ problem: expect.stringContaining(problem) });
});

test('an SVG with colors in styles keeps them as attributes', () => {
  const styles = 'fill:#a00; stroke:none;stroke-dasharray:none;background:url(https://x.example)';
  const judged = validatePicture(svg(`<rect width="5" fill="#000" style="${styles}"/>`));

  const text = 'bytes' in judged ? judged.bytes.toString() : judged.problem;
  expect(text).toContain(
    '<rect width="5" fill="#a00" stroke="none" stroke-dasharray="none"></rect>',
  );
});

test('an SVG keeps shapes and colors, and nothing that runs or loads', () => {
  const hostile = [
    '<script>alert(1)</script><foreignObject><body onload="a()"/></foreignObject>',
    '<g onclick="alert(1)" style="background:url(https://x.example)">',
    '<rect width="5" height="5" fill="url(https://x.example/a)"/>',
    '<circle r="2" fill="url(#shade)" clip-path="url( data:x )"/></g>',
    '<a href="javascript:alert(1)"><path d="M1 1h2" stroke="red"/></a>',
    '<animate attributeName="href" to="javascript:alert(1)"/>&lt;b&gt;',
  ].join('');
  const entities = '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>';
  const judged = validatePicture(
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

test('a drawing with one clip path and a gradient is accepted', () => {
  const judged = validatePicture(svg(`${LONG_CLIP_PATH}<g clip-path="url(#a)">${SVG_SHAPE}</g>`));

  expect(judged).toMatchObject({ content_type: 'image/svg+xml' });
});

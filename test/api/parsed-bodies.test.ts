import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import Koa from 'koa';
import { expect, test } from 'vitest';
import { errorAnswer } from '../../api/http/errors.ts';
import { parseBody } from '../../api/http/bodies.ts';
import { isSlowAsync } from '../setup/cpu-time.ts';

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';

function parse(type: string, body: string | Buffer): Promise<unknown> {
  const bytes = Buffer.from(body as string);
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method: 'POST', url: '/' });
  Object.assign(request.headers, { 'content-type': type, 'content-length': `${bytes.length}` });
  return parseBody(new Koa().createContext(request, new ServerResponse(request)), bytes);
}

test.each([
  [
    'dots and brackets',
    'a.b=1&a%5Bb%5D=2&c[]=3&d[0]=4',
    { 'a.b': '1', 'a[b]': '2', 'c[]': '3', 'd[0]': '4' },
  ],
  [
    'plus signs and escapes',
    'Body=a+b%2Bc%26d&Gr%C3%BC%C3%9Fe=%E2%82%AC',
    { Body: 'a b+c&d', Grüße: '€' },
  ],
  ['a broken escape', 'a=%E4b%', { a: '�b%' }],
  ['no value', 'a&b=&c=x=y', { a: '', b: '', c: 'x=y' }],
  ['a name twice', 'a=1&a=2', { a: ['1', '2'] }],
  ['names of methods', 'toString=1&constructor=2', { toString: '1', constructor: '2' }],
])('a form field with %s keeps its name and value', async (_what, text, fields) => {
  expect({ ...((await parse(FORM, text)) as object) }).toEqual(fields);
});

test('a form cannot set the prototype of an object', async () => {
  const body = await parse(
    FORM,
    '__proto__=1&__proto__[polluted]=1&constructor[prototype][polluted]=1',
  );

  expect(Object.hasOwn(body as object, '__proto__')).toBe(false);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test('fields after the thousandth are ignored, also if all have the same name', async () => {
  const different = Array.from({ length: 1_500 }, (_, at) => `f${at}=${at}`).join('&');

  expect(Object.keys((await parse(FORM, different)) as object)).toHaveLength(1_000);
  expect(await parse(FORM, 'a=1&'.repeat(1_500))).toEqual({ a: Array(1_000).fill('1') });
});

test('JSON, text and bodies without bytes are parsed by their media type', async () => {
  expect(await parse(`${JSON_TYPE}; charset=utf-8`, '{"a":[1,"ü"]}')).toEqual({ a: [1, 'ü'] });
  expect(await parse('text/plain; charset=UTF-8', '{"a":1}')).toBe('{"a":1}');
  expect(await parse(JSON_TYPE, ' ').catch(errorAnswer)).toMatchObject({ status: 400 });
});

test('a body that is not JSON is refused with an error that does not contain it', async () => {
  const error = await parse(JSON_TYPE, '{"ssn":"078-05-1120"').catch((reason: unknown) => reason);

  expect(errorAnswer(error)).toMatchObject({ status: 400, body: { code: 'malformed_json' } });
  expect(errorAnswer(error)?.body.message).toContain('at position 20 (line 1 column 21)');
  expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('078');
});

const KB_900 = 921_600;
const filled = (unit: string, bytes = KB_900) => unit.repeat(Math.floor(bytes / unit.length));

test.each([
  ['one long JSON text', JSON_TYPE, `{"a":"${filled('x')}"}`],
  ['escapes', JSON_TYPE, `{"a":"${filled('\\u0041')}"}`],
  ['12,000 JSON values', JSON_TYPE, `[${filled('"'.padEnd(75, 'x') + '",').slice(0, -1)}]`],
  ['planted prototypes', JSON_TYPE, `{"a":"${filled('\\"__proto__\\"   ')}"}`],
  ['one field of a form', FORM, `a=${filled('x')}`],
  ['escaped brackets', FORM, filled('%5B%5D=')],
  ['many fields', FORM, filled('a&')],
  ['no separators', FORM, filled('[].')],
  ['a thousand long fields', FORM, filled(`${'%41'.repeat(300)}=1&`)],
  ['text', 'text/plain', filled('ü', KB_900 / 2)],
])('900 kB of %s do not block the event loop', async (_what, type, text) => {
  await parse(type, text.slice(0, 1_000)).catch(() => null);

  expect(await isSlowAsync(250, async () => void (await parse(type, text)))).toBe(false);
});

test('a multipart form is not parsed by this parser', async () => {
  const form = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n';

  expect(await parse('multipart/form-data; boundary=b', form)).toBeUndefined();
});

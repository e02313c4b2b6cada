import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ExchangeAnswer, ExchangeRequest } from '../../workers/outside/http.ts';
import { openIdentityClient } from '../../workers/outside/identity.ts';

const ISSUER = 'https://login.example.com';
const CLIENT = { client_id: 'desk', client_secret: 'a-secret' };
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const others = generateKeyPairSync('rsa', { modulusLength: 2048 });

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function tokenOf(claims: object, key: KeyObject = keys.privateKey, alg = 'RS256') {
  const text = `${base64url({ alg, kid: 'one' })}.${base64url(claims)}`;
  const signature =
    alg === 'none' ? '' : sign('sha256', Buffer.from(text), key).toString('base64url');
  return `${text}.${signature}`;
}

const seconds = Math.floor(Date.now() / 1000);
const RIGHT = {
  iss: ISSUER,
  aud: 'desk',
  sub: 'nora',
  nonce: 'n',
  iat: seconds,
  exp: seconds + 60,
};
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/keys`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
};

/** A provider that returns this token, or other given answers. */
function newProvider(id_token: string, more: { metadata?: object; answers?: object } = {}) {
  const asked: ExchangeRequest[] = [];
  const json = (body: object): ExchangeAnswer => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const jwk = { ...keys.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' };
  const answers = new Map<string, ExchangeAnswer>(
    Object.entries({
      '/.well-known/openid-configuration': json({ ...METADATA, ...more.metadata }),
      '/keys': json({ keys: [jwk] }),
      '/token': json({ access_token: 'a', token_type: 'Bearer', id_token }),
      ...more.answers,
    }),
  );
  const ask = async (request: ExchangeRequest) => {
    asked.push(request);
    return (
      answers.get(new URL(request.url).pathname) ?? { error: 'The host refused the connection.' }
    );
  };
  const claims = (response_issuer: string | null = null) =>
    openIdentityClient({ ask }).claims({
      issuer_url: ISSUER,
      ...CLIENT,
      response_issuer,
      redirect_url: 'https://admin.example.com/in',
      code: 'the-code',
      nonce: 'n',
      verifier: 'v'.repeat(43),
    });
  return {
    asked,
    claims,
    describe: () => openIdentityClient({ ask }).describe({ issuer_url: ISSUER }),
  };
}

test('a token of this provider for this client and sign-in identifies the user', async () => {
  const { asked, claims, describe } = newProvider(tokenOf(RIGHT));

  const answer = await claims();
  const token = asked.find(({ url }) => url.endsWith('/token'));
  const sent = new URLSearchParams(String(token?.body));

  expect(answer).toEqual({ claims: expect.objectContaining({ sub: 'nora' }) });
  expect(await describe()).toEqual({ authorization_url: `${ISSUER}/authorize` });
  expect(Object.fromEntries(sent)).toMatchObject({
    grant_type: 'authorization_code',
    code: 'the-code',
    code_verifier: 'v'.repeat(43),
    redirect_uri: 'https://admin.example.com/in',
  });
  expect(String(token?.body)).not.toContain('a-secret');
});

test.each([
  ['another key', tokenOf(RIGHT, others.privateKey)],
  ['no key', tokenOf(RIGHT, keys.privateKey, 'none')],
  ['another issuer', tokenOf({ ...RIGHT, iss: 'https://evil.example' })],
  ['another client', tokenOf({ ...RIGHT, aud: 'other' })],
  ['another sign-in', tokenOf({ ...RIGHT, nonce: 'm' })],
  ['no sign-in', tokenOf({ ...RIGHT, nonce: undefined })],
  ['the past', tokenOf({ ...RIGHT, exp: seconds - 3600 })],
  ['nobody', tokenOf({ ...RIGHT, sub: undefined })],
  ['no form', 'not.a.token'],
])('a token of %s is refused', async (_, token) => {
  const { claims } = newProvider(token);

  expect(await claims()).toEqual({
    error: expect.stringMatching(/^The provider's answer was not/),
  });
});

test('an answer from another issuer or without one is refused', async () => {
  const right = tokenOf(RIGHT);
  const text = { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>Welcome</p>' };
  const elsewhere = { status: 302, headers: { location: 'http://169.254.169.254/' }, body: '' };

  const answers = [
    await newProvider(right).claims('https://evil.example'),
    await newProvider(right, { metadata: { issuer: 'https://evil.example' } }).claims(),
    await newProvider(right, { metadata: { token_endpoint: 'http://inside/' } }).claims(),
    await newProvider(right, { answers: { '/token': text } }).claims(),
    await newProvider(right, { answers: { '/token': elsewhere } }).claims(),
    await newProvider(right, { answers: { '/keys': { error: 'It is late.' } } }).claims(),
    await newProvider(right, { metadata: { authorization_endpoint: undefined } }).describe(),
  ];

  expect(answers.filter((answer) => !('error' in answer))).toEqual([]);
  expect(answers[5]).toEqual({ error: 'It is late.' });
  expect(JSON.stringify(answers)).not.toMatch(/the-code|a-secret|Welcome/);
});

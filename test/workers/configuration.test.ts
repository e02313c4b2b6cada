import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfiguration } from '../../api/http/configuration.ts';
import { readSecret } from '../../jobs/sealing/secrets.ts';
import {
  databaseFile,
  findDatabase,
  readStartConfiguration,
  readWorkerConfiguration,
} from '../../workers/processes/configuration.ts';

const DATABASE_URL = 'postgresql://servicing@db.internal/servicing';
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'configuration-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('all errors in the environment are reported together', () => {
  const read = () =>
    readWorkerConfiguration({ LOG_LEVEL: 'loud', METRICS_PORT: '99999', SMTP_URL: 'http://mail' });

  expect(read).toThrow(/DATABASE_URL[^]*LOG_LEVEL[^]*SMTP_URL[^]*METRICS_PORT/);
});

test('an empty variable counts as unset', () => {
  const read = readWorkerConfiguration({ DATABASE_URL, SMTP_URL: '', LOG_LEVEL: '' });

  expect(read).toMatchObject({ DATABASE_URL, LOG_LEVEL: 'info', DATA_DIR: '.data' });
  expect(read.SMTP_URL).toBe(undefined);
});

test('production needs a SECRET; development creates and keeps one', () => {
  expect(() => readWorkerConfiguration({ DATABASE_URL, NODE_ENV: 'production' })).toThrow('SECRET');

  const made = readSecret({ DATA_DIR: folder });

  expect(made).toMatch(/^[0-9a-f]{64}$/);
  expect(readSecret({ DATA_DIR: folder })).toBe(made);
});

test('in production, the pool that sends email needs a mail server or the setting that writes files', () => {
  const production = { DATABASE_URL, NODE_ENV: 'production', SECRET: 's'.repeat(32) };
  const read = (more: object) => readWorkerConfiguration({ ...production, ...more }, 'outbound');

  expect(() => read({})).toThrow(/SMTP_URL: Is needed in production[^]*MESSAGES_TO=files/);
  expect(read({ MESSAGES_TO: 'files' })).toMatchObject({ MESSAGES_TO: 'files' });
  expect(read({ SMTP_URL: 'smtp://mail.internal' })).toMatchObject({ NODE_ENV: 'production' });
  expect(readWorkerConfiguration(production, 'ledger')).toMatchObject({ NODE_ENV: 'production' });
});

test('operations use the database of a running npm start by default', () => {
  expect(() => findDatabase({ DATA_DIR: folder })).toThrow('npm start');

  writeFileSync(databaseFile(folder), 'postgresql://postgres@127.0.0.1:1/servicing\n');

  expect(findDatabase({ DATA_DIR: folder })).toContain('127.0.0.1:1');
  expect(findDatabase({ DATA_DIR: folder, DATABASE_URL })).toBe(DATABASE_URL);
});

test.each([['foo'], ['10.0.0.1, proxy.internal'], ['10.0.0.0/33'], ['0.0.0.0/0']])(
  'a proxy is trusted by address or network, and %s is neither',
  (TRUSTED_PROXIES) => {
    const given = { DATABASE_URL, TRUSTED_PROXIES, DRAIN_SECONDS: '11' };

    expect(() => readConfiguration(given)).toThrow(/TRUSTED_PROXIES: Must be[^]*DRAIN_SECONDS/);
  },
);

test('proxies may be named as addresses and as networks', () => {
  const read = readConfiguration({ DATABASE_URL, TRUSTED_PROXIES: '10.0.0.1, fd12::/16,' });

  expect(read.TRUSTED_PROXIES).toEqual(['10.0.0.1', 'fd12::/16']);
});

test('npm start refuses what the API would refuse, before it starts Postgres', () => {
  const read = () => readStartConfiguration({ TRUSTED_PROXIES: 'foo', DRAIN_SECONDS: 'long' });

  expect(read).toThrow(/TRUSTED_PROXIES[^]*DRAIN_SECONDS/);
});

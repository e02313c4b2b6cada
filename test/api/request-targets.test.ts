import { expect, test } from 'vitest';
import { openLog } from '../../jobs/monitoring/log.ts';
import { newCanaryLog } from '../setup/canaries.ts';
import { sendRaw } from '../setup/raw-socket.ts';
import { newStage } from '../setup/world.ts';

const ear = newCanaryLog();
const stage = await newStage({ log: openLog('info', { service: 'api' }, ear.destination) });
const tenant = await stage.tenant();

test.each([
  'GET http://[',
  'GET //',
  'GET ///',
  'GET //[',
  'GET //evil.example/api/v1/loans',
  'OPTIONS *',
  'GET *',
  'GET http://evil.example/',
  'GET http://evil.example:99999/',
  'GET http://',
  'GET /api/v1/loans/%',
  'GET /api/v1/loans/%ff',
  'GET /api/v1/%2e%2e/loans',
  'GET /api/v1/docs/%00',
  'GET /api/v1/docs/constructor',
  'GET /api/v1/docs/__proto__',
  'GET ?',
  'GET /?%',
  'CONNECT evil.example:443',
  'PATCH /api/v1/loans',
  'TRACE /',
])('the target of "%s" is the sender’s error, not a fault of the server', async (line) => {
  const head = `${line} HTTP/1.1\r\nHost: ${tenant.host}\r\nConnection: close\r\n\r\n`;

  const answer = await sendRaw(stage.port, head, 1_000);

  // Node answers CONNECT by closing the connection.
  if (!line.startsWith('CONNECT')) expect(answer).toMatch(/^HTTP\/1\.1 (4\d\d|20[04]|302) /);
  expect(ear.lines.filter((line) => line.includes('"level":50'))).toEqual([]);
});

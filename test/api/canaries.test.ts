import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Call, Route } from '../../api/endpoints/route.ts';
import { routes } from '../../api/routes.ts';
import { openLog } from '../../jobs/monitoring/log.ts';
import { sql } from '../../sql/database/db.ts';
import { ALL_CANARIES, CANARIES, newCanaryLog } from '../setup/canaries.ts';
import { newClient } from '../setup/client.ts';
import { sendRaw } from '../setup/raw-socket.ts';
import { newStage } from '../setup/world.ts';

const ear = newCanaryLog();
const stage = await newStage({ log: openLog('trace', { service: 'api' }, ear.destination) });
const tenant = await stage.tenant();
const { officer } = tenant;

/** Failures of our code that could carry personal data into a log. */
const FAILURES: Record<string, (body: unknown) => unknown> = {
  'a parser': (body) => JSON.parse(`{"password": ${CANARIES.password} ${JSON.stringify(body)}`),
  'a schema': (body) =>
    z.object({ ssn: z.int() }).parse({ ssn: body, [CANARIES.ssn]: 1 }, { reportInput: true }),
  'a number': () => BigInt(CANARIES.secret),
  'an address': () => new URL(`${CANARIES.secret} at ${CANARIES.email}`),
  'a packet': (body) => {
    const rawPacket = Buffer.from(ALL_CANARIES);
    throw Object.assign(new Error('Parse Error: Invalid'), { rawPacket, body, code: 'HPE_OTHER' });
  },
  'a row': (body) => {
    throw Object.assign(new Error(`A row of ${CANARIES.account_number} is wrong`), {
      detail: `Key (email)=(${CANARIES.email}) exists.`,
      where: ALL_CANARIES,
      values: [CANARIES.ssn, body],
      constraint: 'users_tenant_id_email_key',
      cause: new Error(`Within: ${ALL_CANARIES}`),
    });
  },
  'nothing that is an error': (body) => {
    throw body; // oxlint-disable-line typescript/only-throw-error -- some libraries do this
  },
};

const failing: Route = {
  method: 'POST',
  path: '/failing/{how}',
  allow: 'viewer',
  tag: 'operations',
  resource: 'failing',
  action: 'create',
  summary: 'Fails',
  status: 200,
  transaction: 'write',
  body: z.looseObject({}),
  run: async ({ params, body }: Call) => FAILURES[decodeURIComponent(params['how'] ?? '')]?.(body),
};
const querying: Route = {
  ...failing,
  path: '/querying',
  run: ({ work: { tx }, body }: Call) => {
    const { text } = body as { text: string };
    return tx.any(sql.unsafe`select ${text}::uuid, 'x'::numeric`);
  },
};

const BODY = { ...CANARIES, first_name: CANARIES.ssn, last_name: CANARIES.password };

test.each(Object.keys(FAILURES))(
  'a failure in %s is logged without the values that it handled',
  async (how) => {
    const port = await stage.listen({}, [...routes, failing]);

    const reply = await officer.at(port).post(`/failing/${encodeURIComponent(how)}`, BODY);

    expect(reply).toMatchObject({ status: expect.any(Number), body: { code: expect.any(String) } });
    expect(ear.heard()).toEqual([]);
  },
);

test('a failure is still logged with enough detail to find it', async () => {
  const port = await stage.listen({}, [...routes, failing]);

  const { body } = await officer.at(port).post('/failing/a%20row', BODY);

  const [line] = ear.of('failed').filter(({ request_id }) => request_id === body.request_id);
  expect(line).toMatchObject({
    err: { type: 'Error', message: 'A row of … is wrong', constraint: 'users_tenant_id_email_key' },
  });
  expect((line as { err: { stack: string[] } }).err.stack[0]).toContain('canaries.test.ts');
});

test('hostile requests leave none of their content in the log', async () => {
  const port = await stage.listen({}, [...routes, querying]);
  const failures = () => [...ear.of('failed'), ...ear.of('unexpected')];
  const before = failures().length;
  const cookie = `sessionid=${CANARIES.session}; csrftoken=${CANARIES.cookie}`;
  const mine = [...officer.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const head = (cookies: string) =>
    `POST /api/v1/borrowers?secret=${CANARIES.secret} HTTP/1.1\r\nHost: ${tenant.host}\r\n` +
    `Cookie: ${cookies}\r\nX-CSRFToken: ${officer.cookies.get('csrftoken')}\r\n` +
    `X-Request-Id: ${CANARIES.email}\r\nContent-Type: application/json\r\n`;
  const chunked = 'Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n';
  const packets = [
    `GET /api/v1/loans?password=${CANARIES.password} HTTP/9.9\r\n\r\n${ALL_CANARIES}`,
    `${CANARIES.password} ${CANARIES.session}\r\n\r\n`,
    `${head(cookie)}Content-Length: 20\r\nTransfer-Encoding: chunked\r\n\r\n${ALL_CANARIES}`,
    `${head(mine)}${chunked}${CANARIES.password}\r\n${ALL_CANARIES}\r\n`,
    `${head(mine)}Content-Length: 900\r\n\r\n{"password": "${ALL_CANARIES}"`,
    `${head(mine)}Content-Length: 30\r\n\r\n{"password": ${CANARIES.password}, ${ALL_CANARIES}`,
  ];
  for (const packet of packets) await sendRaw(port, packet, 300);
  expect(failures().slice(before)).toEqual([]);
  const client = newClient(port, tenant.host);
  await client.login(CANARIES.email, CANARIES.password);
  await officer.at(port).post('/querying', { text: ALL_CANARIES });
  for (const _ of [1, 2]) {
    const external_id = CANARIES.account_number;
    await officer.post('/borrowers', { first_name: 'A', last_name: 'B', external_id });
  }
  await officer.post('/borrowers', BODY);
  await officer.get(`/borrowers?q=${CANARIES.ssn}&filter={"x":"${CANARIES.ssn}"}`);
  await officer.get(`/borrowers/${CANARIES.account_number}`);
  const own = [...officer.cookies.values()];

  expect(ear.lines.length).toBeGreaterThan(10);
  expect(ear.heard()).toEqual([]);
  expect(own.filter((value) => ear.lines.some((line) => line.includes(value)))).toEqual([]);
});

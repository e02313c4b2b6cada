import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { limitConnections } from '../../api/http/connections.ts';
import { openIntake } from '../../api/http/receive.ts';
import { routes } from '../../api/routes.ts';
import { newLoan } from '../setup/loans.ts';
import { clientHeaders, waitForAssertion, requestHead } from '../setup/slow-clients.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant();

type Bounds = Parameters<typeof limitConnections>[2];

async function bounded(bounds: Bounds, trustedProxies: string[] = []) {
  const server = createServer((_request, response) => response.end('served'));
  limitConnections(server, trustedProxies, bounds);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

type Caller = { socket: Socket; port: number; got: string; isClosed: boolean };

async function call(server: Pick<Server, 'address'>, text = ''): Promise<Caller> {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  const caller: Caller = { socket, port, got: '', isClosed: false };
  socket.on('data', (piece: Buffer) => (caller.got += piece.toString()));
  socket.on('error', () => {});
  socket.on('close', () => (caller.isClosed = true));
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(text);
  return caller;
}

const ASKED = 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n';
const served = (caller: Caller) => waitForAssertion(() => expect(caller.got).toContain('served'));

test('a network with too many open connections cannot open another until it closes one', async () => {
  const server = await bounded({ per_network: 2 });
  const [first, second] = [await call(server, ASKED), await call(server, ASKED)];
  await Promise.all([served(first), served(second)]);

  const third = await call(server);
  await waitForAssertion(() => expect(third.isClosed).toBe(true));

  expect(third.got).toMatch(/^HTTP\/1\.1 429 /);
  expect(third.got).toContain('\r\nRetry-After: 5\r\n');
  expect(third.got).toContain('"code":"too_many_connections"');
  first.socket.end();
  await waitForAssertion(() => expect(first.isClosed).toBe(true));
  await waitForAssertion(async () => {
    const later = await call(server, ASKED);
    await served(later);
  });
});

test('a trusted proxy opens as many connections as it needs', async () => {
  const server = await bounded({ per_network: 1 }, ['127.0.0.1']);

  const callers = [await call(server, ASKED), await call(server, ASKED), await call(server, ASKED)];

  await Promise.all(callers.map(served));
});

test('when many connections are open, those without a request are closed', async () => {
  const server = await bounded({ many: 2 });
  const idle = [await call(server, ASKED), await call(server, ASKED)];
  await Promise.all(idle.map(served));

  const third = await call(server, ASKED);
  await served(third);

  await waitForAssertion(() => expect(idle.map(({ isClosed }) => isClosed)).toEqual([true, true]));
  expect(third.isClosed).toBe(false);
});

test('a process refuses connections above its maximum', async () => {
  const server = await bounded({ most: 1 });
  await served(await call(server, ASKED));

  const second = await call(server, ASKED);

  await waitForAssertion(() => expect(second.isClosed).toBe(true));
  expect(second.got).toBe('');
});

/** Sends payments on a loan whose row is locked, on one connection and without waiting for answers. */
async function payBlindly(amounts: readonly string[]) {
  const intake = openIntake();
  const port = await stage.listen({}, routes, intake);
  const loan = await newLoan(tenant);
  const client = await stage.owner.connect();
  await client.query('begin');
  await client.query('select from loans where id = $1 for update', [loan.id]);
  const target = `/api/v1/loans/${loan.id}/payments`;
  const headers = clientHeaders(tenant.officer.cookies);
  const requests = amounts.map((amount) => {
    const body = JSON.stringify({ amount });
    return requestHead({ target, host: tenant.host, headers }, body.length) + body;
  });
  const caller = await call(
    { address: () => ({ port, address: '', family: '' }) },
    requests.join(''),
  );
  await vi.waitFor(async () => {
    const { rowCount } = await stage.owner.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    expect(rowCount).toBe(1);
  }, 10_000);
  const unlock = async () => {
    await client.query('rollback');
    client.release();
  };
  return { caller, loan, unlock, atWork: intake.admission.atWork };
}

const AMOUNTS = Array.from({ length: 20 }, (_, at) => `${at + 1}.00`);

test('pipelined requests are processed one after another', async () => {
  const { caller, unlock, atWork } = await payBlindly(AMOUNTS);

  expect(atWork()).toBe(1);
  await unlock();
  const answered = () =>
    caller.got
      .split('HTTP/1.1 201')
      .slice(1)
      .map((answer) => /"amount":"(\d+\.00)"/.exec(answer)?.[1]);
  await waitForAssertion(() => expect(answered()).toHaveLength(AMOUNTS.length));
  expect(answered()).toEqual(AMOUNTS);
});

test('pipelined requests behind an unfinished one are dropped once the client hangs up', async () => {
  const { caller, loan, unlock, atWork } = await payBlindly(AMOUNTS);

  caller.socket.resetAndDestroy();
  await waitForAssertion(async () => expect(await stage.connections(caller.port)).toBe(0));
  await unlock();
  await waitForAssertion(() => expect(atWork()).toBe(0));

  const { body: payments } = await tenant.officer.get(`/loans/${loan.id}/payments`);
  expect(payments.length).toBeLessThanOrEqual(1);
});

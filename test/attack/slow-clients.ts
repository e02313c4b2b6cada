import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { newLoan } from '../setup/loans.ts';
import type { Tenant } from '../setup/world.ts';
import { buildExpensiveBodies } from './expensive-bodies.ts';
import { newGround, type Ground } from './ground.ts';
import { startApiUnderAttack, type ApiUnderAttack } from './api-under-attack.ts';

type PrintLine = (line: string) => void;

/**
 * Measures how much one client can slow other clients of an API process: with 450 sign-ins and 420 uploads
 * sent byte by byte, and with the most expensive bodies. Returns whether another tenant was affected.
 */
export async function measureSlowClients(url: string, say: PrintLine): Promise<boolean> {
  const folder = mkdtempSync(path.join(tmpdir(), 'slow-'));
  const secret = randomBytes(32).toString('hex');
  const victim = await startApiUnderAttack({ url, secret, folder }, new Set());
  try {
    const attacked = await newGround(url, victim.port, 'attacked');
    const aside = await newGround(url, victim.port, 'aside');
    await measureLatencies(aside);
    const usual = await measureLatencies(aside);
    say(`usual: ${formatLatencies(usual)}`);
    const during = [
      await attackWithSlowSignIns({ attacked, aside, victim }, say),
      await attackWithSlowUploads({ attacked, aside, victim }, say),
    ];
    await measureExpensiveBodies(attacked, victim, say);
    await Promise.all([attacked.owner.end(), aside.owner.end()]);
    return during.every(({ p99, refused }) => refused === 0 && p99 < 2 * usual.p99);
  } finally {
    await victim.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Latencies = { p50: number; p99: number; refused: number };
const formatLatencies = ({ p50, p99, refused }: Latencies) =>
  `half of the answers within ${p50.toFixed(1)} ms, 99 of 100 within ${p99.toFixed(1)} ms, ${refused} of ${REQUESTS} refused`;

const REQUESTS = 600;
const BROWSERS = 2;

/** How long a tenant's officer waits for lists and changes, requested by two browsers without a pause. */
async function measureLatencies({
  clients: { loan_officer: officer },
}: Ground): Promise<Latencies> {
  const times: number[] = [];
  let refused = 0;
  const asker = async () => {
    for (let at = 0; at < REQUESTS / BROWSERS; at += 1) {
      const began = performance.now();
      const isChange = at % 4 === 0;
      const { status } = await (isChange
        ? officer.post('/borrowers', { first_name: 'A', last_name: 'B' })
        : officer.get('/borrowers?range=[0,9]'));
      times.push(performance.now() - began);
      if (status >= 400) refused += 1;
    }
  };
  await Promise.all(Array.from({ length: BROWSERS }, asker));
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99), refused };
}

type Field = { attacked: Ground; aside: Ground; victim: ApiUnderAttack };

async function attackWithSlowSignIns({ attacked, aside, victim }: Field, say: PrintLine) {
  const { nobody } = attacked.clients;
  const head = [
    'POST /api/v1/auth/login HTTP/1.1',
    `Host: ${attacked.host}`,
    'Content-Type: application/json',
    'Content-Length: 900',
    `Cookie: csrftoken=${nobody.cookies.get('csrftoken')}`,
    `X-CSRFToken: ${nobody.cookies.get('csrftoken')}`,
    '\r\n{',
  ].join('\r\n');
  return withSlowSenders(victim.port, { head, clients: 450, everyMs: 3_000 }, async (counts) => {
    const seen = await measureLatencies(aside);
    say(`450 slow sign-ins: ${formatLatencies(seen)} (the sign-ins: ${counts()})`);
    return seen;
  });
}

async function attackWithSlowUploads({ attacked, aside, victim }: Field, say: PrintLine) {
  const { loan_officer: officer } = attacked.clients;
  const first = async (collection: string) =>
    ((await officer.get(collection)).body as { id: string }[])[0]?.id ?? '';
  const loan = await newLoan({ officer, first } as unknown as Tenant);
  const { body } = await officer.post('/documents/create-upload-link', {
    loan_id: loan.id,
    document_type: 'other',
    filename: 'a.pdf',
    content_type: 'application/pdf',
  });
  const head = [
    `PUT ${new URL(body.upload_url).pathname} HTTP/1.1`,
    `Host: ${attacked.host}`,
    'Content-Type: application/pdf',
    'Content-Length: 900',
    '\r\n%',
  ].join('\r\n');
  return withSlowSenders(victim.port, { head, clients: 420, everyMs: 20_000 }, async (counts) => {
    const seen = await measureLatencies(aside);
    say(`420 slow uploads to one link: ${formatLatencies(seen)} (the uploads: ${counts()})`);
    return seen;
  });
}

type DripSettings = { head: string; clients: number; everyMs: number };

/**
 * Runs the steps while many clients send a byte occasionally. A client that is cut off comes back later.
 */
async function withSlowSenders<Result>(
  port: number,
  { head, clients, everyMs }: DripSettings,
  steps: (counts: () => string) => Promise<Result>,
): Promise<Result> {
  const open = new Set<Socket>();
  const answers = new Map<string, number>();
  let isOver = false;
  const drip = () => {
    if (isOver) return;
    const socket = connect(port, '127.0.0.1', () => socket.write(head));
    open.add(socket);
    const timer = setInterval(() => socket.write(' '), everyMs);
    socket.once('data', (piece: Buffer) => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(piece.toString())?.[1] ?? '?';
      answers.set(status, (answers.get(status) ?? 0) + 1);
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      clearInterval(timer);
      open.delete(socket);
      setTimeout(drip, 10_000).unref();
    });
  };
  for (let count = 0; count < clients; count += 1) drip();
  await wait(2_000);
  try {
    return await steps(() =>
      [
        `${open.size} open`,
        ...[...answers].map(([status, count]) => `${count} got ${status}`),
      ].join(', '),
    );
  } finally {
    isOver = true;
    for (const socket of open) socket.destroy();
    await wait(500);
  }
}

/** How long each body keeps the API's only thread busy, whether it is accepted or refused. */
async function measureExpensiveBodies({ clients }: Ground, victim: ApiUnderAttack, say: PrintLine) {
  const { superadmin } = clients;
  const reach = async (path: string) =>
    ((await superadmin.get(path)).body as { id: string }[])[0]?.id ?? '';
  const costs: { line: string; own: number }[] = [];
  for (const { name, method = 'POST', path: target, raw } of await buildExpensiveBodies(reach)) {
    const statuses: number[] = [];
    const owns: number[] = [];
    for (let time = 0; time < 4; time += 1) {
      await victim.report();
      statuses.push((await superadmin.send(method, target, undefined, { raw })).status);
      await wait(50);
      owns.push((await victim.report()).own);
    }
    // The first run includes one-time compilation.
    const own = Math.min(...owns.slice(1));
    const line = `${own.toFixed(0)} ms (first ${owns[0]?.toFixed(0)}) ${statuses.at(-1)} ${name}, ${Math.round(raw.length / 1_024)} kB`;
    costs.push({ line, own });
  }
  say('Busy without a pause, by body:');
  for (const { line } of costs.toSorted((one, other) => other.own - one.own)) say(`  ${line}`);
}

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Job } from 'graphile-worker';
import type { Context } from 'koa';
import { expect, onTestFinished, test } from 'vitest';
import { traceRequest } from '../../api/http/trace-request.ts';
import { openLog } from '../../jobs/monitoring/log.ts';
import { openTraces } from '../../jobs/monitoring/traces.ts';
import { deliverWebhook } from '../../jobs/webhooks/deliver.job.ts';
import { TracesEndpoint } from '../../sql/database/environment.ts';
import { buildTaskList } from '../../workers/queue/tasks.ts';
import { newLoan } from '../setup/loans.ts';
import { newReceiver } from '../setup/receiver.ts';
import { newSubscriber } from '../setup/subscriber.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const REQUEST = 'request-that-is-traced';

type Attribute = { key: string; value: { stringValue?: string; intValue?: number } };
type Told = { name: string; traceId: string; attributes: Attribute[]; status: { code: number } };
type Sent = { resourceSpans: { scopeSpans: { spans: Told[] }[] }[] };

/** A trace collector that keeps what it receives. */
async function newCollector() {
  const sent: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = await request.toArray();
    sent.push(`${request.url} ${Buffer.concat(chunks).toString()}`);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const spans = () =>
    sent
      .map((text) => JSON.parse(text.slice(text.indexOf('{'))) as Sent)
      .flatMap(({ resourceSpans }) => resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap((scope) => scope.spans);
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent, spans };
}

test('one payment is one trace, from the request to the webhook delivery, without values', async () => {
  const { tenant, outside, relayed } = await newSubscriber(stage);
  const { id: loan } = await newLoan(tenant);
  const { http } = await newReceiver();
  const collector = await newCollector();
  const traces = await openTraces('test', collector.endpoint, openLog('silent', {}));
  const headers = { 'X-Request-Id': REQUEST };
  const tasks = buildTaskList([deliverWebhook], {
    deadlineMs: 1e4,
    stopping: new AbortController().signal,
    onRefusal: () => {},
    outside: {
      ...outside,
      post: (request) => http.post(request),
    },
  });

  await tenant.officer.post(`/loans/${loan}/payments`, { amount: '123.45' }, { headers });
  await relayed();
  const { rows } = await stage.owner.query<{ payload: object }>(
    `select payload from graphile_worker._private_jobs
     where payload ->> 'request_id' = $1 and payload ->> 'delivery_id' is not null`,
    [REQUEST],
  );
  await tasks['deliver-webhook']?.(rows[0]?.payload, { job: {} as Job } as never);
  await traces.close();

  const traceId = createHash('sha256').update(REQUEST).digest('hex').slice(0, 32);
  const ours = collector.spans().filter((span) => span.traceId === traceId);
  const names = new Set(ours.map(({ name }) => name));
  expect(rows).toHaveLength(1);
  expect([...names].toSorted()).toEqual([
    'POST',
    'POST /loans/{id}/payments',
    'job deliver-webhook',
    'statement',
  ]);
  expect(collector.sent.every((text) => text.startsWith('/v1/traces '))).toBe(true);
  const whole = collector.sent.join('\n');
  for (const value of ['123.45', loan, tenant.host, 'Hopper', 'receiver.example.com'])
    expect(whole).not.toContain(value);
});

test.each(['https://collector.test/?key=1', 'https://collector.test/#here'])(
  'the collector URL %s is refused, because the part after its path would be lost',
  (endpoint) => {
    expect(TracesEndpoint.safeParse(endpoint).error?.message).toContain('without ? and #');
  },
);

test('an internal error marks its span as an error, and a refusal does not', async () => {
  const collector = await newCollector();
  const traces = await openTraces('test', collector.endpoint, openLog('silent', {}));
  const answered = (status: number) =>
    traceRequest(
      { method: 'GET', status, state: { request_id: `answered-${status}` } } as Context,
      () => Promise.resolve(),
    );

  await answered(404);
  await answered(500);
  await traces.close();

  const codes = collector.spans().map(({ status }) => status.code);
  expect(codes).toEqual([0, 2]);
});

test('a missing collector costs one log line and nothing else', async () => {
  const lines: string[] = [];
  const log = openLog('warn', {}, { write: (line) => void lines.push(line) });
  const traces = await openTraces('test', 'http://127.0.0.1:1', log);
  const tenant = await stage.tenant();

  const { status } = await tenant.officer.get('/loans');
  const started = performance.now();
  await traces.close();

  expect(status).toBe(200);
  expect(performance.now() - started).toBeLessThan(5_000);
  expect(lines.filter((line) => line.includes('traces cannot be sent'))).toHaveLength(1);
});

test('without tracing, none of its packages is loaded', async () => {
  const looking = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    for (const file of ['./jobs/monitoring/traces.ts', './sql/database/driver.ts']) await import(file);
    console.log(loaded.filter((url) => /opentelemetry\\/(sdk|exporter|context|resources)/.test(url)).length);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    looking,
  ]);

  expect(stdout).toBe('0\n');
});

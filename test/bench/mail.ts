import { setTimeout as pause } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { SMTPServer } from 'smtp-server';
import { sendCommunication } from '../../jobs/communications/send.job.ts';
import { DEFAULT_INSTALLATION } from '../../jobs/installation.ts';
import { deriveKeys } from '../../jobs/sealing/secrets.ts';
import { openMailer } from '../../workers/outside/mailer.ts';
import { startOutboundWorker } from '../setup/outbound-worker.ts';
import { boardLoans } from './board.ts';
import { perSecond, alternate, parseSize, type Bench } from './figures.ts';
import { sendOnce, startApi, type Target } from './over-http.ts';
import { openWorld, type BenchWorld } from './world.ts';

const ROUNDS = 3;
/** The number of connections that the mailer keeps open. */
const CONNECTIONS = 5;

/** A mail server that accepts every mail and keeps the last one. */
async function startServer() {
  const last = { raw: '' };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    closeTimeout: 50,
    onData(stream, _session, callback) {
      let raw = '';
      stream.on('data', (chunk: Buffer) => (raw += chunk.toString()));
      stream.on('end', () => {
        last.raw = raw;
        callback();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as { port: number };
  const close = () => new Promise<void>((resolve) => server.close(resolve));
  return { url: `smtp://127.0.0.1:${port}`, last, close };
}

/**
 * Mails sent by a worker of the outbound pool, which finds, renders, sends and records each. The floor is a
 * nodemailer loop that sends the same bytes on as many connections and records nothing.
 */
export const benchMail: Bench = async (words) => {
  const count = parseSize(words, { usual: 200, least: 50 });
  const world = await openWorld();
  const server = await startServer();
  const installation = {
    ...DEFAULT_INSTALLATION,
    keys: deriveKeys('the secret of an installation of benches'),
  };
  // One borrower per mail, because the platform limits how often a borrower is contacted.
  const loans = await boardLoans(world, 0, count * (ROUNDS + 1));
  await addEmailAddresses(world);
  const api = await startApi(world);
  const admin = await api.as('admin');
  const order = await orderMessage(admin, world);
  // Ordered mails wait until a round begins.
  await world.admin.query(
    `select app.pause_work('outbound', null, null, 'bench', 'Between the rounds.')`,
  );
  const stopWorker = await startOutboundWorker(
    { url: world.url, installation },
    [sendCommunication],
    openMailer({ smtpUrl: server.url, outbox: '' }),
  );
  let sent = 0;
  const round = async () => {
    for (const loan of loans.slice(sent, sent + count)) await order(loan);
    sent += count;
    const started = performance.now();
    await world.admin.query(`select app.resume_work('outbound', null, null, 'bench', 'A round.')`);
    const found = `select count(*)::integer as found from communication_logs where status = 'sent'`;
    for (;;) {
      const { rows } = await world.admin.query<{ found: number }>(found);
      if (rows[0]?.found === sent) break;
      await pause(10);
    }
    const rate = (count * 1_000) / (performance.now() - started);
    await world.admin.query(
      `select app.pause_work('outbound', null, null, 'bench', 'Between the rounds.')`,
    );
    return rate;
  };
  await round();
  const rates = await alternate(ROUNDS, {
    ours: round,
    floor: () => measureLoop(server.url, server.last.raw, count),
  });
  await stopWorker();
  api.close();
  await server.close();
  await world.close();
  return [
    {
      what: `${count} mails found, rendered, sent and recorded; a pooled loop of nodemailer with the same bytes`,
      ours: perSecond(rates.ours),
      floor: perSecond(rates.floor),
      ratio: rates.ours / rates.floor,
      target: { least: 0.7 },
    },
  ];
};

const addEmailAddresses = ({ admin }: BenchWorld) =>
  admin.query(
    `insert into emails (tenant_id, borrower_id, email, is_primary)
     select tenant_id, id, id || '@bench.test', true from borrowers`,
  );

/** Orders one message about a loan, as staff do. */
async function orderMessage(target: Target, { admin }: BenchWorld) {
  const type = 'payment_reminder';
  const body = {
    name: 'Reminder',
    template_type: type,
    channel: 'email',
    subject: 'Loan {{ loan.number }}',
    body: '<p>{{ borrower.name }}</p>',
  };
  await sendOnce(target, {
    method: 'POST',
    path: '/api/v1/communication-templates',
    body,
    status: 201,
  });
  const found = await admin.query<{ id: string }>(
    `select id from communication_templates where name = 'Reminder'`,
  );
  const borrowers = await admin.query<{ id: string; borrower_id: string }>(
    'select id, borrower_id from loans',
  );
  const borrowerOf = new Map(borrowers.rows.map(({ id, borrower_id }) => [id, borrower_id]));
  return (loan_id: string) =>
    sendOnce(target, {
      method: 'POST',
      path: '/api/v1/communications/send',
      status: 201,
      body: {
        template_id: found.rows[0]?.id,
        borrower_id: borrowerOf.get(loan_id),
        loan_id,
      },
    });
}

async function measureLoop(url: string, raw: string, count: number) {
  const transport = createTransport({ url, pool: true, maxConnections: CONNECTIONS });
  const envelope = { from: 'bench@bench.test', to: 'borrower@bench.test' };
  const started = performance.now();
  await Promise.all(Array.from({ length: count }, () => transport.sendMail({ envelope, raw })));
  transport.close();
  return (count * 1_000) / (performance.now() - started);
}

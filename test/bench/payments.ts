import { randomUUID } from 'node:crypto';
import { boardLoans } from './board.ts';
import { perSecond, alternate, type Bench, type Figure } from './figures.ts';
import { listen, measureRate, startApi, stopServer, type BenchRequest } from './over-http.ts';
import { startBareServer, createBareTables } from './payments-floor.ts';
import { prepareBareTransfer } from './transfers-floor.ts';
import { openWorld } from './world.ts';

const LOANS = 200;
const LOAD = { clients: 8, seconds: 2 };
const ROUNDS = 5;
/** The journal lines of a payment: cash, interest and principal. */
const LINES = 3;

/**
 * Payments received over HTTP from several concurrent clients, compared with plain inserts of the same
 * rows.
 */
export const benchPayments: Bench = async () => {
  const world = await openWorld();
  const loans = await boardLoans(world, 0, LOANS);
  const api = await startApi(world);
  const officer = await api.as('loan_officer');
  await createBareTables(world.admin);
  const plain = await startBareServer(world.url, world.tenant_id);
  const floor = { port: await listen(plain.server), headers: {} };
  const transfers = await prepareBareTransfer(world);
  const pay = (at: number): BenchRequest => payment(loans[at % LOANS] ?? '', '5.00', 201);
  const rates = await alternate(ROUNDS, {
    ours: () => measureRate(officer, pay, LOAD),
    floor: () => measureRate(floor, pay, LOAD),
    transfers: () => transfers.rate(LOAD),
  });
  stopServer(plain.server);
  api.close();
  await Promise.all([plain.end(), transfers.end()]);
  await world.close();
  const lines = rates.ours * LINES;
  return [
    {
      what: `payments over HTTP by ${LOAD.clients} clients; bare node:http and driver writing the same rows`,
      ours: perSecond(rates.ours),
      floor: perSecond(rates.floor),
      ratio: rates.ours / rates.floor,
      target: { least: 0.6 },
    },
    {
      what: 'journal lines of payments over HTTP; of the plainest transfer of two lines and two balances, in the database alone',
      ours: perSecond(lines),
      floor: perSecond(rates.transfers * 2),
      ratio: lines / (rates.transfers * 2),
    },
  ];
};

const payment = (loan: string, amount: string, status: number): BenchRequest => ({
  method: 'POST',
  path: `/api/v1/loans/${loan}/payments`,
  body: { amount },
  status,
});

/** Refused payments compared with received ones. A refusal should not take longer. */
export const benchRefusals: Bench = async () => {
  const world = await openWorld();
  const loans = await boardLoans(world, 0, LOANS);
  const api = await startApi(world);
  const officer = await api.as('loan_officer');
  const viewer = await api.as('viewer');
  const [paidOff = ''] = await boardLoans(world, LOANS, 1);
  await world.admin.query(`update loans set status = 'transferred' where id = $1`, [paidOff]);
  const on = (loan: (at: number) => string, amount: string, status: number) => (at: number) =>
    payment(loan(at), amount, status);
  const any = (at: number) => loans[at % LOANS] ?? '';
  const rates = await alternate(ROUNDS, {
    received: () => measureRate(officer, on(any, '5.00', 201), LOAD),
    'a role may not (403)': () => measureRate(viewer, on(any, '5.00', 403), LOAD),
    'there is no such loan (404)': () =>
      measureRate(
        officer,
        on(() => randomUUID(), '5.00', 404),
        LOAD,
      ),
    'the loan takes none (409)': () =>
      measureRate(
        officer,
        on(() => paidOff, '5.00', 409),
        LOAD,
      ),
    'the amount is none (422)': () => measureRate(officer, on(any, '-5.00', 422), LOAD),
  });
  await world.admin.query(`update loans set status = 'active' where id = $1`, [paidOff]);
  api.close();
  await world.close();
  const { received, ...refused } = rates;
  return Object.entries(refused).map(([why, rate]): Figure => ({
    what: `a payment is refused: ${why}; received`,
    ours: perSecond(rate),
    floor: perSecond(received),
    ratio: rate / received,
    target: { least: 0.8 },
  }));
};

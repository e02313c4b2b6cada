import { createServer, type ServerResponse } from 'node:http';
import pg from 'pg';
import { addDays } from '../../jobs/dates.ts';
import {
  perSecond,
  formatMs,
  alternate,
  median,
  printProgress,
  parseSize,
  type Bench,
  type Figure,
} from './figures.ts';
import { openWorldWithLateLoans, openWorldWithLoans } from './many-loans.ts';
import { sendOnce, listen, measureRate, startApi, stopServer, type Target } from './over-http.ts';
import { populateBorrowers } from './populate-borrowers.ts';
import { DAY, openWorld, type BenchWorld } from './world.ts';

const LOAD = { clients: 16, seconds: 1 };
const ROUNDS = 5;
const MANY = 10_000;
const OUTLOOK_ROUNDS = 15;

/** The plainest query for a page of each list. */
const FLOORS = {
  borrowers: `select id, borrower_type, first_name, last_name, date_of_birth::text, email, created_at::text
    from (select record.*, email.email from borrowers as record
      left join emails as email on email.tenant_id = record.tenant_id and email.borrower_id = record.id
        and email.is_primary and not email.is_archived) as row
    where tenant_id = $1 and not is_archived order by row.created_at desc, row.id desc limit 25`,
  loans: `select * from loans
    where tenant_id = $1 and not is_archived order by created_at desc, id desc limit 25`,
};

/** node:http and the bare driver: a page and its count, prepared, as JSON. No session, no tenancy. */
async function measureFloor({ url, tenant_id }: BenchWorld) {
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  pool.on('error', () => {});
  pool.on('connect', (connection) => connection.on('error', () => {}));
  const answer = async (list: keyof typeof FLOORS, response: ServerResponse) => {
    const values = [tenant_id];
    const { rows } = await pool.query({ name: list, text: FLOORS[list], values });
    const text = `select count(*) from ${list} where tenant_id = $1 and not is_archived`;
    await pool.query({ name: `count ${list}`, text, values });
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(rows));
  };
  const server = createServer((incoming, response) => {
    void answer(incoming.url === '/loans' ? 'loans' : 'borrowers', response);
  });
  const target: Target = { port: await listen(server), headers: {} };
  const end = async () => {
    stopServer(server);
    await pool.end();
  };
  return { target, end };
}

const listOf = (list: string, words: Record<string, string>) =>
  `/api/v1/${list}?${new URLSearchParams({ range: '[0,24]', ...words })}`;

const NEWEST = { sort: '["created_at","DESC"]' };

/**
 * Lists of loans and of borrowers over HTTP with their counts, compared with a bare server that counts and
 * lists.
 */
export const benchLists: Bench = async (words) => {
  const count = parseSize(words, { usual: MANY, least: 1_000 });
  printProgress(`Writing ${count.toLocaleString('en')} loans and borrowers …`);
  const world = await openWorldWithLoans(count);
  await populateBorrowers(world, count);
  const api = await startApi(world);
  const viewer = await api.as('viewer');
  const floor = await measureFloor(world);
  const ask = (target: Target, path: string) => () =>
    measureRate(target, () => ({ path, status: 200 }), LOAD);
  const rates = await alternate(ROUNDS, {
    loans: ask(viewer, listOf('loans', NEWEST)),
    'loans floor': ask(floor.target, '/loans'),
    borrowers: ask(viewer, listOf('borrowers', NEWEST)),
    'borrowers floor': ask(floor.target, '/borrowers'),
  });
  const figures = (['loans', 'borrowers'] as const).map((list): Figure => ({
    what: `25 of ${count.toLocaleString('en')} ${list}, counted; bare node:http and driver, counted`,
    ours: perSecond(rates[list]),
    floor: perSecond(rates[`${list} floor`]),
    ratio: rates[list] / rates[`${list} floor`],
    target: { least: 0.6 },
  }));
  await floor.end();
  api.close();
  await world.close();
  return figures;
};

/** Lists by what a loan shows on a day, measured one request at a time. */
export const benchOutlookLists: Bench = async (words) => {
  const count = parseSize(words, { usual: MANY, least: 1_000 });
  printProgress(`Writing ${count.toLocaleString('en')} loans …`);
  const world = await openWorldWithLateLoans(count);
  const api = await startApi(world);
  const figures = await benchSingleRequests(await api.as('viewer'), count);
  api.close();
  await world.close();
  return figures;
};

/** Lists measured one request at a time, compared with the first page of the newest loans. */
async function benchSingleRequests(viewer: Target, count: number): Promise<Figure[]> {
  const from = count - 1_000;
  const by = (field: string, direction: string) => ({ sort: JSON.stringify([field, direction]) });
  const asked: Record<string, Record<string, string>> = {
    'the most days past due first': by('days_past_due', 'DESC'),
    'the fewest days past due first': by('days_past_due', 'ASC'),
    'the next to pay first': by('next_payment_date', 'ASC'),
    'the last to pay first': by('next_payment_date', 'DESC'),
    'by bucket': by('delinquency_bucket', 'DESC'),
    'of one bucket': { ...NEWEST, filter: '{"delinquency_bucket":"dpd_30_59"}' },
    'that are current': { ...NEWEST, filter: '{"delinquency_bucket":"current"}' },
    'at least 30 days past due, the most first': {
      ...by('days_past_due', 'DESC'),
      filter: '{"days_past_due__gte":30}',
    },
    'to pay within a week, the next first': {
      ...by('next_payment_date', 'ASC'),
      filter: `{"next_payment_date__lte":"${addDays(DAY, 7)}"}`,
    },
    'by amount due, which is computed': by('amount_due', 'DESC'),
    'by total balance, which is computed': by('total_balance', 'DESC'),
    [`from the ${from.toLocaleString('en')}th on`]: { ...NEWEST, range: `[${from},${from + 24}]` },
  };
  const took = new Map<string, number[]>();
  // In rounds, so that all lists meet the same load. The first round warms up.
  for (let round = 0; round <= OUTLOOK_ROUNDS; round += 1)
    for (const [what, words] of Object.entries({ newest: NEWEST, ...asked })) {
      const ms = await sendOnce(viewer, { path: listOf('loans', words), status: 200 });
      if (round > 0) took.set(what, [...(took.get(what) ?? []), ms]);
    }
  const middle = (what: string) => median(took.get(what) ?? []);
  return Object.keys(asked).map((what) => ({
    what: `25 of ${count.toLocaleString('en')} loans, ${what}; the newest`,
    ours: formatMs(middle(what)),
    floor: formatMs(middle('newest')),
    ratio: middle(what) / middle('newest'),
  }));
}

/** A full name, an email address, a prefix, a common first name, and single letters. */
const SEARCHES = ['Fordwellba', 'fordwellba.', 'Grace Bo', 'fords', 'Mary', 'a', 'm'];

/**
 * How long a search among borrowers takes, including the count, compared with the list without a search.
 */
export const benchSearches: Bench = async (words) => {
  const count = parseSize(words, { usual: 100_000, least: 1_000 });
  const world = await openWorld();
  await populateBorrowers(world, count);
  const api = await startApi(world);
  const viewer = await api.as('viewer');
  const ms = async (q: string) => {
    const path = listOf('borrowers', { ...NEWEST, ...(q && { q }) });
    const took = [];
    for (let at = 0; at < 9; at += 1) took.push(await sendOnce(viewer, { path, status: 200 }));
    return median(took);
  };
  const whole = await ms('');
  const figures: Figure[] = [];
  for (const q of SEARCHES) {
    const took = await ms(q);
    figures.push({
      what: `"${q}" among ${count.toLocaleString('en')} borrowers, counted; all of them`,
      ours: formatMs(took),
      floor: formatMs(whole),
      ratio: took / whole,
    });
  }
  api.close();
  await world.close();
  return figures;
};

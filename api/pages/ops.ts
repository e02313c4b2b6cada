import { Invalid } from '../../jobs/errors.ts';
import { renderDayChart } from '../../templates/ops/chart.ts';
import { secondFactorPages } from './second-factor-steps.ts';
import { pausesPage, fetchTenants } from './ops-pauses.ts';
import { streamPage } from './ops-stream.ts';
import { redirectTo, pageView, type Page, type PageView, type Visit } from './page.ts';
import { signInPage } from './signing-in.ts';

export const OPS = '/ops';

type Row = Record<string, unknown>;
type QuarterHour = {
  quarter: string;
  pool: string;
  runs: number;
  failures: number;
  wait_99th: number | null;
};

const ops = (page: string, data: object): PageView => ({ ...pageView(page, data), look: 'ops' });

/** Whether the user is an operator, who sees all tenants. Other superadmins see only their own. */
async function isOperator({ ask }: Visit): Promise<boolean> {
  const { is_operator } = await ask<{ is_operator: boolean }>('GET /operations/me');
  return is_operator;
}

async function overview(visit: Visit): Promise<PageView> {
  const asked = <Answer = Row[]>(what: string) => visit.ask<Answer>(`GET /operations/${what}`);
  const failures = await asked('failures');
  return ops('overview', {
    is_operator: await isOperator(visit),
    pools: await asked('pools'),
    pauses: await asked('pauses'),
    kinds: await asked('kinds'),
    failures: failures.map((cause) => ({ ...cause, href: linkTo(cause) })),
    closes: await asked('closes'),
    receivers: await asked('webhooks'),
    schedules: await asked('schedules'),
    changes: (await asked('changes')).slice(0, 20),
    charts: chartsOf(await asked<QuarterHour[]>('quarters')),
  });
}

const linkTo = ({ kind, cause }: Row) =>
  `/ops/jobs?${new URLSearchParams({ state: 'failed', kind: String(kind), cause: String(cause) })}`;

function chartsOf(quarters: readonly QuarterHour[]) {
  const now = new Date();
  const moments = [...new Set(quarters.map(({ quarter }) => quarter))];
  const picture = (
    called: string,
    unit: string,
    value: (own: readonly QuarterHour[]) => number,
  ) => ({
    called,
    picture: renderDayChart(
      moments.map((at) => ({ at, value: value(quarters.filter((known) => known.quarter === at)) })),
      { called, unit, now },
    ),
  });
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return [
    picture('Jobs per 15 minutes', 'jobs', (own) => sum(own.map(({ runs }) => runs))),
    picture('Wait, 99th percentile', 'seconds', (own) =>
      Math.max(0, ...own.map(({ wait_99th }) => wait_99th ?? 0)),
    ),
    picture('Failed attempts per 15 minutes', 'failures', (own) =>
      sum(own.map(({ failures }) => failures)),
    ),
  ];
}

/** Shows pools, failures and closes of business. Operators also change pools and sub-pools here. */
const homePage: Page = {
  path: '',
  show: overview,
  submit: async ({ ask, form }) => {
    const { do: action, pool, reason, slots = '' } = form.values;
    if (action === 'slots') {
      const wanted = slots === '' ? null : Number(slots);
      await ask('POST /operations/slots', { body: { pool, slots: wanted, reason } });
      return redirectTo(OPS, 'slots');
    }
    const isPause = action === 'pause';
    const endpoint = isPause ? 'POST /operations/pauses' : 'POST /operations/pauses/end';
    await ask(endpoint, { body: { pool, reason } });
    return redirectTo(OPS, isPause ? 'paused' : 'resumed');
  },
};

/** Streams updates of the same page. A user without access gets no stream. */
const livePage: Page = {
  path: '/live',
  show: async (visit) => {
    await isOperator(visit);
    return streamPage(visit.tenant.id, () => overview(visit));
  },
};

const FILTERS = ['state', 'kind', 'tenant_id', 'older_seconds', 'cause'] as const;
const PAGE = 50;
const COUNTED_MAX = 10_000;

/** The form may still contain a field that the newly selected state does not have. */
const isUnsupportedFilter = (name: string, state: string) =>
  (name === 'cause' && state !== 'failed') || (name === 'older_seconds' && state === 'scheduled');

/** The search criteria. Empty fields are ignored. */
const parseFilters = ({ query }: Visit): Record<string, string> =>
  Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = query[name]?.trim() ?? '';
      return value === '' || isUnsupportedFilter(name, query['state'] ?? '') ? [] : [[name, value]];
    }),
  );

const ACTIONS = new Map([
  ['waiting', ['run-now', 'reschedule', 'cancel']],
  ['scheduled', ['run-now', 'reschedule', 'cancel']],
  ['failed', ['retry', 'discard']],
]);

type FoundJobs = { total: number; rows: Row[] };

const searchPage: Page = {
  path: '/jobs',
  show: async (visit) => {
    const match = { state: 'waiting', ...parseFilters(visit) };
    const offset = Number(visit.query['offset'] ?? '0');
    const query = { ...match, offset: String(offset) };
    const { total, rows } = await visit.ask<FoundJobs>('GET /operations/jobs', { query });
    const here = (from: number) =>
      `/ops/jobs?${new URLSearchParams({ ...match, ...(from > 0 && { offset: String(from) }) })}`;
    const tenants = await fetchTenants(visit);
    const slugs = new Map(tenants.map(({ id, slug }) => [id, slug]));
    return ops('jobs', {
      is_operator: await isOperator(visit),
      match,
      total,
      tenants,
      rows: rows.map((row) => ({
        ...row,
        tenant: slugs.get(String(row['tenant_id'])) ?? null,
      })),
      is_more: total >= COUNTED_MAX,
      is_waiting: match.state !== 'failed',
      actions: ACTIONS.get(match.state) ?? [],
      here: here(0),
      newer: offset > 0 ? here(Math.max(0, offset - PAGE)) : null,
      older: offset + PAGE < total && offset + PAGE <= 1e4 ? here(offset + PAGE) : null,
    });
  },
  submit: async (visit) => {
    const { older_seconds, ...match } = { state: 'waiting', ...parseFilters(visit) } as Record<
      string,
      string
    >;
    const matching = {
      ...match,
      ...(older_seconds !== undefined && { older_seconds: Number(older_seconds) }),
    };
    const expected = Number(visit.form.values['expected']);
    const done = await changeJobs(visit, { matching, expected });
    return redirectTo(`/ops/jobs?${new URLSearchParams(parseFilters(visit))}`, done);
  },
};

type ChangeResult = { changed: number; left: number };

async function changeJobs({ ask, form }: Visit, which: object): Promise<string> {
  const { do: action = '', reason, run_at = '' } = form.values;
  const isLater = action === 'reschedule';
  if (isLater && run_at === '') throw new Invalid({ run_at: 'Enter a UTC date and time.' });
  const body = { action, reason, ...which, ...(isLater && { run_at: parseMoment(run_at) }) };
  const { changed, left } = await ask<ChangeResult>('POST /operations/jobs/change', { body });
  return `${action}-${changed}-${left}`;
}

/** Interprets the value of a datetime-local field, such as 2026-01-31T09:30, as UTC. */
const parseMoment = (given: string) => (/:\d\d:\d\d/.test(given) ? `${given}Z` : `${given}:00Z`);

const jobPage: Page = {
  path: '/jobs/{number}',
  show: async (visit) => {
    const { number = '' } = visit.params;
    const found = await visit.ask('GET /operations/jobs/{number}', { params: { number } });
    const state = String(found['state']);
    const tenants = await fetchTenants(visit);
    return ops('job', {
      is_operator: await isOperator(visit),
      job: found,
      called: `Job ${number}`,
      tenant: tenants.find(({ id }) => id === found['tenant_id'])?.slug ?? found['tenant_id'],
      is_waiting: state !== 'failed',
      actions: ACTIONS.get(state) ?? [],
    });
  },
  submit: async (visit) => {
    const { number = '' } = visit.params;
    const done = await changeJobs(visit, { jobs: [number] });
    // After a retry or cancellation, the job may be gone or have another id.
    return redirectTo('/ops/jobs?state=failed', done);
  },
};

const afterSignIn = () => OPS;

const opsSignOutPage: Page = {
  path: '/sign-out',
  isOpen: true,
  show: async () => redirectTo(OPS),
  submit: async ({ ask }) => {
    await ask('POST /auth/logout');
    return { ...redirectTo(`${OPS}/sign-in`), clears: true };
  },
};

export const opsPages: readonly Page[] = [
  homePage,
  livePage,
  pausesPage,
  searchPage,
  jobPage,
  opsSignOutPage,
  signInPage(OPS, afterSignIn, ({ user }) => Boolean(user?.tenant_role)),
  ...secondFactorPages(OPS, afterSignIn),
];

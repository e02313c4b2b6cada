import { redirectTo, pageView, type Page, type Visit } from './page.ts';

const PAUSES = '/ops/pauses';
const TARGET_FIELDS = ['pool', 'kind', 'tenant_id'] as const;

/** The filled-in fields of a form. Empty fields do not narrow the pause. */
const filledTarget = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    TARGET_FIELDS.flatMap((name) => {
      const value = values[name] ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );

export type TenantOption = { id: string; slug: string };
export const fetchTenants = ({ ask }: Visit) => ask<TenantOption[]>('GET /operations/tenants');

type PoolOption = { pool: string; kinds: string[]; sub_pools: { name: string }[] };

/** Lists the pauses. Operators can also add and end pauses here. */
export const pausesPage: Page = {
  path: '/pauses',
  show: async (visit) => {
    const { ask, form, problems, query } = visit;
    const { is_operator } = await ask<{ is_operator: boolean }>('GET /operations/me');
    const pools = await ask<PoolOption[]>('GET /operations/pools');
    // A refused form is shown again as filled in. A link may also preset its fields.
    const isRefusedPause = problems !== null && form.values['do'] === 'pause';
    return {
      ...pageView('pauses', {
        is_operator,
        pauses: await ask('GET /operations/pauses'),
        pools: pools.flatMap(({ pool, sub_pools }) => [pool, ...sub_pools.map(({ name }) => name)]),
        kinds: pools.flatMap(({ kinds }) => kinds).toSorted(),
        tenants: await fetchTenants(visit),
        chosen: isRefusedPause ? form.values : problems === null ? query : {},
      }),
      look: 'ops',
    };
  },
  submit: async ({ ask, form }) => {
    const { do: action, reason } = form.values;
    const isPause = action === 'pause';
    const endpoint = isPause ? 'POST /operations/pauses' : 'POST /operations/pauses/end';
    await ask(endpoint, { body: { ...filledTarget(form.values), reason } });
    return redirectTo(PAUSES, isPause ? 'paused' : 'resumed');
  },
};

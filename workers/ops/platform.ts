import { nextRun, SCHEDULE } from '../../jobs/operations/schedule.ts';
import * as platform from '../../sql/operations/platform.ts';
import { CAUSE_OPTIONS, CAUSE_USAGE, parseCause } from './cause.ts';
import { UsageError, type Operation } from './operation.ts';

export const setOperators: Operation = {
  name: 'operators',
  usage: `SLUG ${CAUSE_USAGE}`,
  summary: "Makes this tenant's superadmins the platform's operators, instead of another tenant's",
  words: 1,
  options: CAUSE_OPTIONS,
  run: async ({ owner, words: [slug = ''], options }) => {
    const isNamed = await platform.setOperatorTenant(owner, slug, parseCause(options));
    if (!isNamed) throw new UsageError(`There is no tenant "${slug}".`);
    const say =
      `Superadmins of ${slug} operate the platform at /ops of its host, once they have signed in with two factors. ` +
      `Ask that of all of its staff: npm run ops -- settings --tenant ${slug} auth.second_factor.staff=true`;
    return { say, rows: [{ operators: slug }] };
  },
};

export const listSchedules: Operation = {
  name: 'schedules',
  usage: '',
  summary: 'Lists scheduled jobs with their last and next start',
  run: async ({ owner }) => {
    const ticks = await platform.listScheduleTicks(owner);
    const rows = SCHEDULE.map((line) => ({
      kind: line.task,
      at: line.at,
      last_at: ticks.find(({ task }) => task === line.task)?.last_at ?? null,
      next_at: nextRun(line, new Date())?.toISOString() ?? null,
    }));
    return { rows };
  },
};

export const listReceivers: Operation = {
  name: 'webhooks',
  usage: '',
  summary: 'Lists webhook receivers, those with problems first',
  run: async ({ owner }) => {
    const rows = await platform.listReceivers(owner);
    return rows.length === 0 ? { say: 'There are no webhook subscriptions.', rows } : { rows };
  },
};

export const listCloses: Operation = {
  name: 'closes',
  usage: '',
  summary: 'Lists running closes with the time left, and those of the last two days',
  run: async ({ owner }) => {
    const rows = await platform.listCloses(owner);
    return rows.length === 0 ? { say: 'No day was closed in the last two days.', rows } : { rows };
  },
};

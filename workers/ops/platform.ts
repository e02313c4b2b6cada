import { nextRun, SCHEDULE } from '../../jobs/operations/schedule.ts';
import * as platform from '../../sql/operations/platform.ts';
import { CAUSE_OPTIONS, CAUSE_USAGE, parseCause } from './cause.ts';
import { UsageError, type Operation } from './operation.ts';

export const setOperators: Operation = {
  name: 'operators',
  usage: `SLUG ${CAUSE_USAGE}`,
  summary: 'makes superadmins of this tenant the operators of the platform, in place of any other',
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
  summary: 'what the clock starts, when it last did and when it will',
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
  summary: 'receivers of webhooks, those in trouble first',
  run: async ({ owner }) => {
    const rows = await platform.listReceivers(owner);
    return rows.length === 0 ? { say: 'Nobody subscribes.', rows } : { rows };
  },
};

export const listCloses: Operation = {
  name: 'closes',
  usage: '',
  summary: 'closes that run, and those of the last two days, with the time that is left',
  run: async ({ owner }) => {
    const rows = await platform.listCloses(owner);
    return rows.length === 0 ? { say: 'No day was closed in the last two days.', rows } : { rows };
  },
};

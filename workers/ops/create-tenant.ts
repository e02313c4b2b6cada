import { addMonths, isDate, localDate } from '../../jobs/dates.ts';
import { openTenant } from '../../jobs/users/open-tenant.ts';
import { SYSTEM, workOf } from '../../jobs/work.ts';
import { sqlStateOf } from '../../sql/database/db.ts';
import { Misused, type Operation } from './operation.ts';

const TIME_ZONE = 'America/New_York';
const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;
/** A host as browsers name it, without scheme, port or path; nothing else is ever found again. */
const HOST =
  /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;
const NAME_MAX = 200;
const UNIQUE_VIOLATION = '23505';

export const createTenant: Operation = {
  name: 'create-tenant',
  usage: 'SLUG --domains HOST,HOST [--name TEXT] [--business-date YYYY-MM-DD]',
  summary: 'adds a tenant with its chart of accounts, a program and a product',
  words: 1,
  options: ['domains', 'name', 'business-date'],
  run: async ({ owner, app, words, options }) => {
    const [slug = ''] = words;
    if (!SLUG.test(slug)) throw new Misused('The slug is small letters, digits and hyphens.');
    const domains = hostsIn(options['domains'] ?? '');
    const business_date = options['business-date'] ?? localDate(new Date(), TIME_ZONE);
    assertStartable(business_date);
    const name = options['name'] ?? slug;
    if (name.trim() === '' || name.length > NAME_MAX)
      throw new Misused(`--name takes 1 to ${NAME_MAX} characters.`);
    const tenant = { slug, name, business_date, domains };
    try {
      const id = await openTenant(owner, workOf(app, SYSTEM), tenant);
      return { say: `Tenant ${slug} is there: ${domains.join(', ')}.`, rows: [{ id, ...tenant }] };
    } catch (error) {
      if (sqlStateOf(error) !== UNIQUE_VIOLATION) throw error;
      throw new Misused('There is a tenant of that slug or domain already.', { cause: error });
    }
  },
};

function hostsIn(list: string): string[] {
  const hosts = list
    .split(',')
    .map((host) => host.trim().toLowerCase())
    .filter(Boolean);
  if (hosts.length === 0) throw new Misused('Name at least one host with --domains.');
  const wrong = hosts.find((host) => !HOST.test(host));
  if (wrong !== undefined)
    throw new Misused(`"${wrong}" is not a host like loans.example.com, without scheme or port.`);
  return [...new Set(hosts)];
}

/** A day further off would have the workers close, or wait for, centuries of days. */
function assertStartable(day: string) {
  if (!isDate(day)) throw new Misused('--business-date takes a date like 2026-01-31.');
  const today = localDate(new Date(), TIME_ZONE);
  if (day >= addMonths(today, -480) && day <= addMonths(today, 480)) return;
  throw new Misused('--business-date must be within 40 years of today.');
}

import { isDate } from '../../jobs/dates.ts';
import { localDate } from '../../jobs/loans/close/start-close-of-business.job.ts';
import { openTenant } from '../../jobs/users/open-tenant.ts';
import { SYSTEM, workOf } from '../../jobs/work.ts';
import { sqlStateOf } from '../../sql/db.ts';
import { Misused, type Operation } from './operation.ts';

const TIME_ZONE = 'America/New_York';
const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;
const UNIQUE_VIOLATION = '23505';

export const createTenant: Operation = {
  name: 'create-tenant',
  usage: 'SLUG --domains HOST,HOST [--name TEXT] [--business-date YYYY-MM-DD]',
  summary: 'adds a tenant with its chart of accounts, a program and a product',
  options: ['domains', 'name', 'business-date'],
  run: async ({ owner, app, words, options }) => {
    const [slug = ''] = words;
    if (!SLUG.test(slug)) throw new Misused('The slug is small letters, digits and hyphens.');
    const domains = (options['domains'] ?? '').split(',').filter(Boolean);
    if (domains.length === 0) throw new Misused('Name at least one host with --domains.');
    const business_date = options['business-date'] ?? localDate(new Date(), TIME_ZONE);
    if (!isDate(business_date)) throw new Misused('--business-date takes a date like 2026-01-31.');
    const tenant = { slug, name: options['name'] ?? slug, business_date, domains };
    try {
      const id = await openTenant(owner, workOf(app, SYSTEM), tenant);
      return { say: `Tenant ${slug} is there: ${domains.join(', ')}.`, rows: [{ id, ...tenant }] };
    } catch (error) {
      if (sqlStateOf(error) !== UNIQUE_VIOLATION) throw error;
      throw new Misused('There is a tenant of that slug or domain already.', { cause: error });
    }
  },
};

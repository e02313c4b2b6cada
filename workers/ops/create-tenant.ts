import { addMonths, isDate, localDate } from '../../jobs/dates.ts';
import type { Installation } from '../../jobs/installation.ts';
import { addTenant } from '../../jobs/users/add-tenant.ts';
import {
  findLocaleProblems,
  DEFAULT_TENANT_LOCALE,
  type TenantLocale,
} from '../../jobs/users/settings/tenant-locale.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { sqlStateOf } from '../../sql/database/db.ts';
import { saveSandboxBook } from '../../sql/operations/sandbox.ts';
import { UsageError, type Operation } from './operation.ts';

const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;
/**
 * A host name as browsers send it, without scheme, port or path. The API finds a tenant only by such a
 * name.
 */
const HOST =
  /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;
/** Host names that always mean the local machine. */
const LOCAL_HOST = /^(.+\.)?localhost$|^127\.\d+\.\d+\.\d+$/;
const NAME_MAX = 200;
const UNIQUE_VIOLATION = '23505';

export const createTenant: Operation = {
  name: 'create-tenant',
  usage:
    'SLUG --domains HOST,HOST [--name TEXT] [--business-date YYYY-MM-DD] [--time-zone ZONE] [--currency CODE] [--locale TAG] [--sandbox yes]',
  summary: 'Adds a tenant with its chart of accounts, a program and a product',
  words: 1,
  options: ['domains', 'name', 'business-date', 'time-zone', 'currency', 'locale', 'sandbox'],
  run: async ({ owner, app, words, options, installation }) => {
    const [slug = ''] = words;
    if (!SLUG.test(slug))
      throw new UsageError('A slug consists of lowercase letters, digits and hyphens.');
    const domains = parseHosts(options['domains'] ?? '', installation);
    const place = parseLocale(options);
    const today = localDate(new Date(), place.time_zone);
    const business_date = options['business-date'] ?? today;
    assertStartable(business_date, today);
    const name = options['name'] ?? slug;
    if (name.trim() === '' || name.length > NAME_MAX)
      throw new UsageError(`--name takes 1 to ${NAME_MAX} characters.`);
    const is_sandbox = parseSandbox(options['sandbox']);
    const tenant = { slug, name, business_date, domains, place, is_sandbox };
    try {
      const id = await addTenant(owner, createWithin(app, SYSTEM), tenant);
      if (is_sandbox) await saveSandboxBook(owner, id);
      return {
        say: `Tenant ${slug} was created: ${domains.join(', ')}.`,
        rows: [{ id, ...tenant }],
      };
    } catch (error) {
      if (sqlStateOf(error) !== UNIQUE_VIOLATION) throw error;
      throw new UsageError('A tenant with this slug or domain already exists.', { cause: error });
    }
  },
};

/** A sandbox is asked for in words, because a tenant stays what it was created as. */
function parseSandbox(wanted: string | undefined): boolean {
  if (wanted === undefined || wanted === 'no') return false;
  if (wanted === 'yes') return true;
  throw new UsageError('--sandbox takes yes or no. It cannot be changed later.');
}

function parseLocale(options: Record<string, string | undefined>): TenantLocale {
  const place = {
    time_zone: options['time-zone'] ?? DEFAULT_TENANT_LOCALE.time_zone,
    currency: options['currency'] ?? DEFAULT_TENANT_LOCALE.currency,
    locale: options['locale'] ?? DEFAULT_TENANT_LOCALE.locale,
  };
  const [problem] = Object.entries(findLocaleProblems(place));
  if (problem) throw new UsageError(`--${problem[0].replace('_', '-')}: ${problem[1]}`);
  return place;
}

function parseHosts(list: string, { local_port }: Pick<Installation, 'local_port'>): string[] {
  const hosts = list
    .split(',')
    .map((host) => host.trim().toLowerCase())
    .filter(Boolean);
  if (hosts.length === 0) throw new UsageError('Name at least one host with --domains.');
  const wrong = hosts.find((host) => !HOST.test(host));
  if (wrong !== undefined)
    throw new UsageError(
      `"${wrong}" is not a host like loans.example.com, without scheme or port.`,
    );
  const own = hosts.find((host) => LOCAL_HOST.test(host));
  if (own !== undefined && local_port === null)
    throw new UsageError(
      `In production "${own}" does not work in links. Use the public host name.`,
    );
  return [...new Set(hosts)];
}

/** With a date further away, the workers would close centuries of days or wait for them. */
function assertStartable(day: string, today: string) {
  if (!isDate(day)) throw new UsageError('--business-date takes a date like 2026-01-31.');
  if (day >= addMonths(today, -480) && day <= addMonths(today, 480)) return;
  throw new UsageError('--business-date must be within 40 years of today.');
}

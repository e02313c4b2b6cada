import type { Route } from '../../api/endpoints/route.ts';
import { isRole } from '../../api/http/permissions.ts';
import type { Control, DataEgress } from '../../jobs/job.ts';

export const CONTROLS = [
  ...(['tenancy', 'role', 'field denials', 'redaction', 'approvals', 'step-up'] as const),
  ...(['contact rules', 'sealing'] as const),
] satisfies readonly Control[];

const isOfStaff = ({ allow }: Route) => isRole(allow);
const isRefusing = ({ carries = [] }: Route) => typeof carries === 'function' || carries.length > 0;
const isFile = ({ carries }: Route) => carries === 'anything' || carries === 'judged';

/** Kinds of endpoints through which data leaves. A route belongs to the first kind that matches. */
const KINDS: readonly [string, (route: Route) => boolean][] = [
  ['public endpoints and sign-in', ({ allow }) => allow === 'anyone'],
  ['callbacks of providers', ({ allow }) => allow === 'provider'],
  ['own account', ({ allow }) => allow === 'any'],
  ['borrower portal (API and pages)', ({ allow }) => allow === 'borrower'],
  ['operations (/ops, jobs)', ({ resource }) => /^(operations|jobs)(\/|$)/.test(resource)],
  ['files, tapes, letters, previews', (route) => isOfStaff(route) && isFile(route)],
  ['destinations and criteria', (route) => isOfStaff(route) && isRefusing(route)],
  ['approvals', ({ resource }) => resource === 'approvals'],
  ['history', ({ action }) => action === 'history'],
  ['reports and sums', ({ is_report = false }) => is_report],
  ['lists and searches', ({ list }) => list !== undefined],
  ['records', ({ method }) => method === 'GET'],
  ['answers to changes', ({ method }) => method !== 'GET'],
];

export const kindOf = (route: Route) => KINDS.find(([, fits]) => fits(route))?.[0];

/** Output of the processes themselves, which no API client receives. */
export const OUTPUTS: Record<string, DataEgress> = {
  'logs of processes': {
    to: 'operators',
    controls: {
      sealing: 'built of known fields; no names, numbers or bodies (jobs/monitoring/log.ts)',
    },
  },
  metrics: { to: 'operators', controls: { sealing: 'counts by kind, no ids of records' } },
  traces: {
    to: 'operators',
    controls: { sealing: 'routes, ids and durations, no parameters of statements' },
  },
  backups: {
    to: 'operators',
    controls: { sealing: 'secrets are sealed by SECRET, which is not in them' },
  },
};

/** Body fields that determine where data goes or which records are selected. */
const SENDS =
  /^(url|host|recipients|sftp_server_id|issuer_url|events|forward_to|criteria|columns|filters)$/;
const IS_EXPORT = ['export', 'document_download'];

/** Missing controls of a route whose data leaves otherwise than as fields of its answer. */
export function whatIsMissing(
  route: Route,
  { sent, answered }: { sent: readonly string[]; answered: readonly string[] },
): string | null {
  const { allow, method, path, carries, security_event = '' } = route;
  const sends = method === 'GET' ? [] : sent.filter((name) => SENDS.test(name));
  const isLink = answered.includes('download_url');
  if (!isRole(allow) || carries !== undefined) return null;
  if (sends.length === 0 && !isLink && !IS_EXPORT.includes(security_event)) return null;
  const why = sends.length > 0 ? `takes ${sends.join(', ')}` : 'gives out a file';
  return `${method} ${path} ${why}: say with \`carries\` which facts leave by it, [] for none (api/endpoints/route.ts).`;
}

/** What each control does at the endpoints of one kind. */
export function controlsAt(kind: string, routes: readonly Route[]): DataEgress {
  const some = (count: number, what: string) => (count === 0 ? undefined : `${count} ${what}`);
  const roles = [...new Set(routes.map(({ allow }) => allow))].toSorted();
  const staff = routes.filter(isOfStaff);
  const refusing = staff.filter(isRefusing).length;
  const cells: Record<Control, string | undefined> = {
    tenancy: /^(public|callbacks)/.test(kind) ? 'by host' : 'row-level security',
    role: roles.join(', '),
    'field denials':
      staff.length === 0
        ? undefined
        : [some(refusing, 'refused'), some(staff.length - refusing, 'cut')]
            .filter(Boolean)
            .join(', '),
    redaction: /^(public|callbacks|own|operations)/.test(kind) ? undefined : 'by record',
    approvals: some(routes.filter(({ four_eyes }) => four_eyes).length, 'by two'),
    'step-up': some(routes.filter(({ needs_proof }) => needs_proof).length, 'after a proof'),
    'contact rules': some(
      routes.filter(({ resource }) => resource === 'communications').length,
      'judged',
    ),
    sealing: some(routes.filter(({ secrets }) => secrets).length, 'with secrets'),
  };
  const controls = Object.fromEntries(Object.entries(cells).filter(([, cell]) => cell));
  return { to: `${routes.length} endpoints`, controls };
}

import { readdirSync, readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import { opsAssets } from './assets.ts';

/** The values that every /ops page needs, in addition to its own. */
export type OpsFrame = {
  tenant_name: string;
  csrf_token: string | null;
  values: Readonly<Record<string, string>>;
  problems: { message: string; errors: Readonly<Record<string, string>> } | null;
  notice: string | undefined;
  signed_in: boolean;
};

const FOLDER = new URL('./pages/', import.meta.url);
const engine = Handlebars.create();
let templates: Map<string, HandlebarsTemplateDelegate> | undefined;

const NOTICES = new Map([
  ['paused', 'Paused. No new jobs start. Running jobs finish.'],
  ['resumed', 'Resumed. Jobs start within a second or two.'],
  ['signed-off', 'The reconciliation is signed off.'],
  ['slots', 'The slots are set. Processes apply them within seconds.'],
]);
const CHANGE_NOTICE = /^(retry|run-now|reschedule|cancel|discard)-(\d{1,6})-(\d{1,6})$/;

/**
 * Renders an /ops page. All values are escaped, except charts, which contain only our own texts and
 * numbers.
 */
export function renderOps(name: string, data: OpsFrame & Record<string, unknown>): string {
  templates ??= readTemplates();
  const template = templates.get(name);
  if (!template) throw new Error(`There is no page ${name}.`);
  const { style, script } = opsAssets();
  return template({
    ...data,
    notice: noticeOf(data.notice ?? ''),
    style: `/ops/${style.name}`,
    script: `/ops/${script.name}`,
  });
}

function noticeOf(done: string): string | undefined {
  const [, action, changed, left] = CHANGE_NOTICE.exec(done) ?? [];
  if (action === undefined) return NOTICES.get(done);
  const rest = left === '0' ? '' : ` ${left} more match. Submit again to continue.`;
  return `${actionLabel(action)}: ${changed} changed.${rest}`;
}

/** Returns "Run now" for run-now. */
const actionLabel = (action: string) =>
  `${action.charAt(0).toUpperCase()}${action.slice(1)}`.replace('-', ' ');

function readTemplates() {
  for (const [name, filter] of Object.entries(helpers)) engine.registerHelper(name, filter);
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.html'));
  const named = files.map((file) => [file.slice(0, -'.html'.length), textOf(file)] as const);
  for (const [name, text] of named) engine.registerPartial(name, text);
  return new Map(named.map(([name, text]) => [name, engine.compile(text)]));
}

const textOf = (file: string) => readFileSync(new URL(file, FOLDER), 'utf8');

/** Formats a duration: 95 is "1 min 35 s", 7300 is "2 h 1 min". */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds * 100) / 100} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const helpers: Record<string, Handlebars.HelperDelegate> = {
  same: (value: unknown, other: unknown) => value === other,
  any: (rows: unknown) => Array.isArray(rows) && rows.length > 0,
  list: (...values: unknown[]) => values.slice(0, -1),
  number: (value: unknown) => (typeof value === 'number' ? value.toLocaleString('en-US') : '–'),
  time: (seconds: unknown) => (typeof seconds === 'number' ? formatDuration(seconds) : '–'),
  /** Wait times are counted in ranges. This prints the upper bound of a range. */
  wait: (seconds: unknown) =>
    typeof seconds !== 'number' ? '–' : seconds > 14_400 ? '> 4 h' : `≤ ${formatDuration(seconds)}`,
  moment: (at: unknown) =>
    typeof at === 'string' ? new Date(at).toISOString().slice(0, 19).replace('T', ' ') : '–',
  join: (...values: unknown[]) => values.slice(0, -1).join(''),
  json: (value: unknown) => JSON.stringify(value),
  label: actionLabel,
};

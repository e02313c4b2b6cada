import type { Outcome } from './send-shot.ts';
import type { Shot } from './shots.ts';
import type { Target } from './targets.ts';

const ANSWER_WITHIN_MS = 5_000;
const OVERLOAD_CODE = 'Too much is going on. Try again shortly.';

type Failure = { what: string; route: string; count: number; shots: number[]; line: string };

/** Counts the answers and keeps one reproducible request for each kind of failure. */
export function newReport(targets: readonly Target[], say: (line: string) => void) {
  const statuses = new Map<number, number>();
  const routes = new Map(targets.map(({ name }) => [name, { hits: 0, good: 0 }]));
  const failures = new Map<string, Failure>();
  let slowest = { ms: 0, line: '' };

  function fail(what: string, shot: Shot) {
    const key = `${shot.name} ${what}`;
    const known = failures.get(key);
    if (known) {
      known.count += 1;
      if (known.shots.length < 5) known.shots.push(shot.number);
      return;
    }
    const [route, shots, line] = [shot.name, [shot.number], describeShot(shot)];
    say(`${shot.name} ${what}\n    ${line}`);
    failures.set(key, { what, route, count: 1, shots, line });
  }

  const count = (status: number) => statuses.set(status, (statuses.get(status) ?? 0) + 1);

  return {
    fail,
    count,
    failures,
    routes,
    statuses,
    slowest: () => slowest,
    judge(shot: Shot, outcome: Outcome) {
      const { status, ms, error } = outcome;
      count(status);
      const route = routes.get(shot.name);
      if (route) {
        route.hits += 1;
        if (status >= 200 && status < 300) route.good += 1;
      }
      if (ms > slowest.ms) slowest = { ms, line: describeShot(shot) };
      if (ms > ANSWER_WITHIN_MS) fail('takes longer than 5 s', shot);
      if (status === 0) fail(`gets no answer: ${error}`, shot);
      const wrong = status >= 400 ? findFormatFault(outcome, shot) : null;
      if (wrong) fail(wrong, shot);
    },
  };
}
export type Report = ReturnType<typeof newReport>;

/** Why the answer does not have the form of a refusal. Faults are reported separately from the log. */
function findFormatFault({ status, text, request_id }: Outcome, { method }: Shot): string | null {
  if (status >= 500 && !(status === 503 && text.includes(OVERLOAD_CODE))) return null;
  if (method === 'HEAD') return null;
  if (text === '' && request_id === '') return null;
  let body: Record<string, unknown>;
  try {
    body = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return `answers ${status} without JSON: ${text.slice(0, 80)}`;
  }
  const { message, code, errors } = body;
  if (typeof message !== 'string' || typeof code !== 'string')
    return `answers ${status} without message or code`;
  if (body['request_id'] !== request_id) return `answers ${status} without its request_id`;
  if (status === 422 && (typeof errors !== 'object' || errors === null))
    return 'answers 422 without errors';
  return null;
}

const shortened = (text: string, size: number) =>
  text.length > size ? `${text.slice(0, size)}… (${text.length})` : text;

/** A readable form of the request. The seed and the number reproduce its exact bytes. */
export function describeShot({
  number,
  who,
  method,
  path,
  headers,
  host,
  body = '',
}: Shot): string {
  const { 'X-Shot': _, 'X-Forwarded-For': __, ...rest } = headers;
  const more = JSON.stringify({ ...rest, ...(host && { Host: host }) });
  return `--only ${number}: ${who} ${method} ${shortened(path, 400)} ${shortened(more, 300)} ${shortened(body, 3_000)}`;
}

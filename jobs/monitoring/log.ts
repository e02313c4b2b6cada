import { pino, type Logger, type LoggerOptions } from 'pino';
import { serializeError, stripQuotedValues } from './serialize-error.ts';

export type Log = Logger;

/** Returns a field's loggable form, or undefined if the value does not have the expected kind. */
type Kind = (value: unknown) => unknown;

const matching =
  (pattern: RegExp): Kind =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? value : undefined;
const identifier = matching(/^[A-Za-z0-9._-]{1,64}$/);
const names: Kind = (value) => (Array.isArray(value) ? value.map(identifier) : identifier(value));
const number: Kind = (value) => (typeof value === 'number' ? value : undefined);
const flag: Kind = (value) => (typeof value === 'boolean' ? value : undefined);
const sentence: Kind = (value) =>
  typeof value === 'string' ? stripQuotedValues(value) : undefined;

const kinds = (kind: Kind, fields: string) =>
  fields.split(' ').map((field): [string, Kind] => [field, kind]);

/** The complete list of log fields. Any other field is dropped. */
const FIELDS = new Map<string, Kind>([
  ...kinds(identifier, 'service tenant user request_id job_id task signal wanted'),
  ...kinds(identifier, 'dead_pool event outcome code means method subject'),
  ...kinds(matching(/^[a-z]{1,20}(:[a-z0-9-]{1,30})?$/), 'pool'),
  ...kinds(names, 'jobs running'),
  ...kinds(
    number,
    'pid port status ms attempts max_attempts events unlocked_jobs occurrences slots skew_seconds',
  ),
  ...kinds(flag, 'security'),
  ...kinds(matching(/^\/[A-Za-z0-9/{}_-]{0,200}$/), 'route'),
  ...kinds(matching(/^[0-9a-fA-F.:]{2,45}$/), 'address'),
  ...kinds(sentence, 'reason step'),
  ...kinds(serializeError, 'err'),
]);

function pickKnownFields(given: object): Record<string, unknown> {
  const entries = Object.entries(given).flatMap(([field, value]): [string, unknown][] => {
    const shown = value === undefined ? undefined : FIELDS.get(field)?.(value);
    return shown === undefined ? [] : [[field, shown]];
  });
  return Object.fromEntries(entries);
}

/**
 * Opens the log of a process. A line contains ids, names, numbers, sanitized error details and a constant
 * message. Only known fields are written, so that no secret can reach the log through an unexpected field.
 */
export const openLog = (
  level: string,
  base: { service?: string; pool?: string },
  destination?: { write: (line: string) => void },
): Log => {
  const options: LoggerOptions = {
    level,
    base: { ...base, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: (error: unknown) => error },
    formatters: { bindings: pickKnownFields },
    hooks: {
      logMethod([first, second]: unknown[], method) {
        if (typeof first === 'string') return method.call(this, {}, first);
        const fields = first instanceof Error ? { err: first } : (first ?? {});
        method.call(this, pickKnownFields(fields), typeof second === 'string' ? second : 'error');
      },
    },
  };
  return destination ? pino(options, destination) : pino(options);
};

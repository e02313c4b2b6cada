import { z } from 'zod';
import { StartupError } from './startup-error.ts';

/** Environment variables that several processes read. Each process declares which of them it uses. */
export type Variables = Record<string, string | undefined>;

export const DatabaseUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'Must be the URL of the database, such as postgresql://login@host/servicing.',
});
/** A whole number within limits, both included. */
export function wholeNumber(min: number, max: number) {
  const message = `Must be a whole number from ${min} to ${max}.`;
  return z.coerce.number(message).int(message).min(min, message).max(max, message);
}

/** In development, the port in links of mails and letters. */
export const LocalPort = wholeNumber(1, 65_535);
export const NodeEnv = z.enum(['development', 'test', 'production']).default('development');
export const LogLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);
export const Port = wholeNumber(0, 65_535);
/** The interface that serves /metrics. Default: this machine only. */
export const MetricsHost = z.string().default('127.0.0.1');
/**
 * Seconds during which a stopping process reports that it is not ready, before it stops accepting requests.
 */
export const DrainSeconds = z.coerce.number().min(0).max(10).optional();
/** A trace collector for OTLP over HTTP. The path v1/traces is appended. */
export const TracesEndpoint = z
  .url({ protocol: /^https?$/ })
  .refine((url) => !/[?#]/.test(url), 'Must be the URL of a collector, without ? and #.')
  .optional();

export const DataDir = z.string().default('.data');

/** An empty variable counts as not set. */
const setOf = (variables: Variables) =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));

export function findProblems(schema: z.ZodType, variables: Variables): string[] {
  const { error } = schema.safeParse(setOf(variables));
  return (error?.issues ?? []).map(({ path, message }) => `  ${path.join('.')}: ${message}`);
}

export function throwConfigurationError(problems: readonly string[]) {
  if (problems.length > 0)
    throw new StartupError(`The configuration is not complete:\n${problems.join('\n')}`);
}

/** Reads and validates the environment. Throws one error that lists all problems. */
export function readEnvironment<Configuration>(
  schema: z.ZodType<Configuration>,
  variables: Variables,
): Configuration {
  throwConfigurationError(findProblems(schema, variables));
  return schema.parse(setOf(variables));
}

import { z } from 'zod';
import { StartupError } from './startup-error.ts';

/** The variables that several processes read, each said once; who reads which is said by them. */
export type Variables = Record<string, string | undefined>;

export const DatabaseUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'Names the database, such as postgresql://login@host/servicing.',
});
/** In development, the port that links in mails and letters lead to. */
export const LocalPort = z.coerce.number().int().min(1).max(65_535);
export const NodeEnv = z.enum(['development', 'test', 'production']).default('development');
export const LogLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);
export const Port = z.coerce.number().int().min(0).max(65_535);
/** Who may ask a process for /metrics: this machine alone, unless told. */
export const MetricsHost = z.string().default('127.0.0.1');
/** How long a stopping process says that it wants no more before it takes no more. */
export const DrainSeconds = z.coerce.number().min(0).max(10).optional();
/** A collector of traces that takes OTLP over HTTP; its path is followed by v1/traces. */
export const TracesEndpoint = z
  .url({ protocol: /^https?$/ })
  .refine((url) => !/[?#]/.test(url), 'Names a collector, without ? and #.')
  .optional();

export const DataDir = z.string().default('.data');

/** A variable that is empty is one that was not set. */
const setOf = (variables: Variables) =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));

/** A line for each thing that is wrong. */
export function findProblems(schema: z.ZodType, variables: Variables): string[] {
  const { error } = schema.safeParse(setOf(variables));
  return (error?.issues ?? []).map(({ path, message }) => `  ${path.join('.')}: ${message}`);
}

export function throwConfigurationError(problems: readonly string[]) {
  if (problems.length > 0)
    throw new StartupError(`The configuration is not complete:\n${problems.join('\n')}`);
}

/** Reads the environment once; everything that is wrong with it is listed together. */
export function readEnvironment<Configuration>(
  schema: z.ZodType<Configuration>,
  variables: Variables,
): Configuration {
  throwConfigurationError(findProblems(schema, variables));
  return schema.parse(setOf(variables));
}

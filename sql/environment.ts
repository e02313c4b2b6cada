import { z } from 'zod';

/** The variables that several processes read, each said once; who reads which is said by them. */
export type Variables = Record<string, string | undefined>;

export const DatabaseUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'Names the database, such as postgresql://login@host/servicing.',
});
export const NodeEnv = z.enum(['development', 'test', 'production']).default('development');
export const LogLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);
export const Port = z.coerce.number().int().min(0).max(65_535);
export const DataDir = z.string().default('.data');

/**
 * Reads the environment once; everything that is wrong with it is listed together. A variable that is
 * empty is one that was not set.
 */
export function readEnvironment<Configuration>(
  schema: z.ZodType<Configuration>,
  variables: Variables,
): Configuration {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const checked = schema.safeParse(given);
  if (checked.success) return checked.data;
  const problems = checked.error.issues.map(
    ({ path, message }) => `  ${path.join('.')}: ${message}`,
  );
  throw new Error(`The configuration is not complete:\n${problems.join('\n')}`);
}

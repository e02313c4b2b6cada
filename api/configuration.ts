import { z } from 'zod';
import { CannotStart } from '../sql/cannot-start.ts';

const Environment = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  HOST: z.string().default('127.0.0.1'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  DATA_DIR: z.string().default('.data'),
  /** Encrypts webhook secrets and signs links; the same for the API and all workers. */
  SECRET: z.string().min(32, 'Must have at least 32 characters.').optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  /** Addresses of proxies whose X-Forwarded-* headers are believed, separated by commas. */
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean),
    ),
  /** Connections to Postgres that this process may hold. */
  DATABASE_POOL: z.coerce.number().int().min(2).max(100).default(16),
});
export type Configuration = z.output<typeof Environment>;

/** Reads the environment once; everything that is wrong with it is listed together. */
export function readConfiguration(environment: Record<string, string | undefined>): Configuration {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const read = Environment.safeParse(given);
  if (read.success) return read.data;
  const problems = read.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
  throw new CannotStart(`The configuration is not complete:\n${problems.join('\n')}`);
}

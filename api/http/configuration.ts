import { z } from 'zod';
import { PrivateNetworks, TrustedProxies } from '../../jobs/networks/networks.ts';
import { ScannerUrl } from '../../jobs/files/scanner-url.ts';
import { StorageUrl } from '../../jobs/files/storage-url.ts';
import { SECRET_REQUIRED, hasRequiredSecret, Secret } from '../../jobs/sealing/keys.ts';
import {
  DatabaseUrl,
  DataDir,
  DrainSeconds,
  LocalPort,
  LogLevel,
  MetricsHost,
  NodeEnv,
  Port,
  readEnvironment,
  TracesEndpoint,
  type Variables,
} from '../../sql/database/environment.ts';

const Environment = z
  .object({
    PORT: Port.default(3000),
    HOST: z.string().default('127.0.0.1'),
    /** In development, the port in links; without it, PORT. */
    LOCAL_PORT: LocalPort.optional(),
    DATABASE_URL: DatabaseUrl,
    /** A hot standby of it, from which lists and reports are read. */
    DATABASE_REPLICA_URL: DatabaseUrl.optional(),
    DATA_DIR: DataDir,
    /** Seals receivers' secrets and signs links; the same for the API and all workers. */
    SECRET: Secret.optional(),
    LOG_LEVEL: LogLevel.default('info'),
    NODE_ENV: NodeEnv,
    TRUSTED_PROXIES: TrustedProxies,
    PRIVATE_NETWORKS: PrivateNetworks,
    /** Uploads are held until the scanner there has seen them; the same for the API and all workers. */
    CLAMD_URL: ScannerUrl,
    /** The bucket where documents live; without it, in DATA_DIR. The same for the API and all workers. */
    STORAGE_URL: StorageUrl,
    /** Connections to Postgres that this process may hold. */
    DATABASE_POOL: z.coerce.number().int().min(2).max(100).default(16),
    DRAIN_SECONDS: DrainSeconds,
    /** Serves /healthz and /metrics there. */
    METRICS_PORT: Port.optional(),
    METRICS_HOST: MetricsHost,
    /** Where traces go; without it there are none, and nothing of them is loaded. */
    OTEL_EXPORTER_OTLP_ENDPOINT: TracesEndpoint,
  })
  .refine(hasRequiredSecret, SECRET_REQUIRED)
  .transform((read) => ({
    ...read,
    DRAIN_SECONDS: read.DRAIN_SECONDS ?? (read.NODE_ENV === 'production' ? 5 : 0),
  }));
export type Configuration = z.output<typeof Environment>;

export const readConfiguration = (variables: Variables): Configuration =>
  readEnvironment(Environment, variables);

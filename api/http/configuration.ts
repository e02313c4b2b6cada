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
  wholeNumber,
  readEnvironment,
  TracesEndpoint,
  type Variables,
} from '../../sql/database/environment.ts';

const Environment = z
  .object({
    PORT: Port.default(3000),
    HOST: z.string().default('127.0.0.1'),
    /** The port in links, in development. Default: PORT. */
    LOCAL_PORT: LocalPort.optional(),
    DATABASE_URL: DatabaseUrl,
    /** A hot standby of the database. The API reads lists and reports from it. */
    DATABASE_REPLICA_URL: DatabaseUrl.optional(),
    DATA_DIR: DataDir,
    /** Seals receivers' secrets and signs links. Must be the same for the API and all workers. */
    SECRET: Secret.optional(),
    LOG_LEVEL: LogLevel.default('info'),
    NODE_ENV: NodeEnv,
    TRUSTED_PROXIES: TrustedProxies,
    PRIVATE_NETWORKS: PrivateNetworks,
    /**
     * The ClamAV scanner. Uploads are held until it has checked them. Must be the same for the API and all
     * workers.
     */
    CLAMD_URL: ScannerUrl,
    /** The bucket for documents. Default: DATA_DIR. Must be the same for the API and all workers. */
    STORAGE_URL: StorageUrl,
    /** Maximum number of Postgres connections of this process. */
    DATABASE_POOL: wholeNumber(2, 100).default(16),
    DRAIN_SECONDS: DrainSeconds,
    /** Serves /healthz and /metrics on this port. */
    METRICS_PORT: Port.optional(),
    METRICS_HOST: MetricsHost,
    /** The receiver of traces. If it is not set, the tracing libraries are not loaded. */
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

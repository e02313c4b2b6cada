import type { Files } from './files/files.ts';
import { parseNetworks, type Networks } from './networks/networks.ts';
import type { Keys } from './sealing/secrets.ts';

/**
 * The configuration of one process. Each entry point builds it once and passes it on explicitly, so that
 * two differently configured installations can run in one process.
 */
export type Installation = {
  /** The document storage, also used to create download links. */
  readonly files: Files;
  /** If true, uploaded files are withheld until a virus scan finds nothing. */
  readonly scans_uploads: boolean;
  /** Signs links to files in local storage. */
  readonly link_secret: string;
  /** The keys from SECRET: they seal, sign and hash. */
  readonly keys: Keys;
  /** The private networks to which tenants may send requests. */
  readonly networks: Networks;
  /**
   * False in production, where only past days can be closed. Otherwise true, so that a test can run through
   * a loan's whole life in seconds.
   */
  readonly may_close_future: boolean;
  /** In development, the port that serves tenants' domains over HTTP. Null in production. */
  readonly local_port: number | null;
};

const rejectNoStore = () => Promise.reject(new Error('This process has no document store.'));
const throwNoSecret = () => {
  throw new Error('This process has no SECRET.');
};

/**
 * For commands and processes without configuration. It has no files and no keys, and allows no private
 * networks and no future closes.
 */
export const DEFAULT_INSTALLATION: Installation = {
  files: {
    put: rejectNoStore,
    seize: rejectNoStore,
    get: rejectNoStore,
    stream: rejectNoStore,
    describe: rejectNoStore,
    remove: rejectNoStore,
    clear: rejectNoStore,
    presign: rejectNoStore,
  },
  scans_uploads: false,
  link_secret: '',
  keys: {
    current: '',
    seal: throwNoSecret,
    unseal: throwNoSecret,
    signatures: throwNoSecret,
    keyedHash: throwNoSecret,
    indexes: throwNoSecret,
  },
  networks: parseNetworks([], { isProduction: true }),
  may_close_future: false,
  local_port: null,
};

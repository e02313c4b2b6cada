import type { Files } from './files/files.ts';
import { parseNetworks, type Networks } from './networks/networks.ts';
import type { Keys } from './sealing/secrets.ts';

/**
 * What one process was started with. It is built once at the entry and handed in, carried by each
 * work and call, so that two of them can live in one process and differ.
 */
export type Installation = {
  /** Where documents live, for answers that name a link to one. */
  readonly files: Files;
  /** Uploaded files are held until a virus scanner has found nothing in them. */
  readonly scans_uploads: boolean;
  /** What the links to files that are kept here are signed with. */
  readonly link_secret: string;
  /** What SECRET seals, signs and hashes with. */
  readonly keys: Keys;
  /** Which private networks tenants may have requests sent to. */
  readonly networks: Networks;
  /**
   * In production only days that are over are closed; elsewhere the future may be, so that a whole
   * loan's life is run through in seconds.
   */
  readonly may_close_future: boolean;
  /** In development, the port on which tenants' domains are served over HTTP; null in production. */
  readonly local_port: number | null;
};

const missing = () => Promise.reject(new Error('This process was handed no files.'));
const locked = () => {
  throw new Error('This process was handed no SECRET.');
};

/**
 * For commands and processes that were handed nothing: they have no files and no keys, and open no
 * network and no future.
 */
export const DEFAULT_INSTALLATION: Installation = {
  files: {
    put: missing,
    seize: missing,
    get: missing,
    stream: missing,
    describe: missing,
    remove: missing,
    clear: missing,
    presign: missing,
  },
  scans_uploads: false,
  link_secret: '',
  keys: {
    current: '',
    seal: locked,
    unseal: locked,
    signatures: locked,
    keyedHash: locked,
    indexes: locked,
  },
  networks: parseNetworks([], { isProduction: true }),
  may_close_future: false,
  local_port: null,
};

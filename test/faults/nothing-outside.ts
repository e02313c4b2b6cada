import { DEFAULT_INSTALLATION } from '../../jobs/installation.ts';
import type { ExternalServices } from '../../jobs/external-systems.ts';

const none = () => Promise.reject(new Error('There is nothing outside in this test.'));

/** External services that never answer. Only the clock works. */
export const nothingOutside: ExternalServices = {
  now: () => new Date(),
  post: none,
  read: none,
  download: none,
  identity: { describe: none, claims: none },
  pdf: none,
  mail: none,
  sms: none,
  upload: none,
  scan: none,
  within: none,
  files: DEFAULT_INSTALLATION.files,
  keys: DEFAULT_INSTALLATION.keys,
};

import { DEFAULT_INSTALLATION } from '../../jobs/installation.ts';
import type { ExternalServices } from '../../jobs/external-systems.ts';

const rejectCall = () => Promise.reject(new Error('There is nothing outside in this test.'));

/** External services that never answer. Only the clock works. */
export const nothingOutside: ExternalServices = {
  now: () => new Date(),
  post: rejectCall,
  read: rejectCall,
  download: rejectCall,
  identity: { describe: rejectCall, claims: rejectCall },
  pdf: rejectCall,
  mail: rejectCall,
  sms: rejectCall,
  upload: rejectCall,
  scan: rejectCall,
  within: rejectCall,
  files: DEFAULT_INSTALLATION.files,
  keys: DEFAULT_INSTALLATION.keys,
};

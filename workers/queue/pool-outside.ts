import path from 'node:path';
import type { DatabasePool } from 'slonik';
import type { Clock } from '../../jobs/clock.ts';
import type { Installation } from '../../jobs/installation.ts';
import type { Pool } from '../../jobs/job.ts';
import type { Log } from '../../jobs/monitoring/log.ts';
import type { ExternalServices } from '../../jobs/external-systems.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import type { WorkerConfiguration } from '../processes/configuration.ts';

type PoolResources = { pool: DatabasePool; installation: Installation; log: Log; clock: Clock };
export type PoolOutside = { outside: ExternalServices; close(): Promise<void> };

type PoolServices = Pick<
  ExternalServices,
  'post' | 'read' | 'download' | 'identity' | 'pdf' | 'mail' | 'sms' | 'upload' | 'scan'
> & {
  close(): Promise<void>;
};

/**
 * Opens the external services of a pool. Only documents has a browser, and only outbound contacts other
 * systems. A job that uses a missing service is in the wrong pool, and the call fails.
 */
export async function openPoolOutside(
  name: Pool,
  configuration: WorkerConfiguration,
  { pool, installation, log, clock }: PoolResources,
): Promise<PoolOutside> {
  const means = await SERVICES_BY_POOL[name](configuration, { installation, log });
  const { files, keys } = installation;
  const own = createWithin(pool, SYSTEM, installation);
  const outside = { now: () => clock.now(), files, keys, within: own, ...means };
  return { outside, close: () => means.close() };
}

const missingService = (what: string, name: Pool) => () =>
  Promise.reject(new Error(`The ${name} pool has no ${what}.`));

const noServices = (name: Pool): PoolServices => ({
  post: missingService('HTTP', name),
  read: missingService('HTTP', name),
  download: missingService('HTTP', name),
  identity: { describe: missingService('HTTP', name), claims: missingService('HTTP', name) },
  pdf: missingService('browser', name),
  mail: missingService('mail', name),
  sms: missingService('SMS', name),
  upload: missingService('SFTP', name),
  scan: missingService('virus scanner', name),
  close: async () => {},
});

type ServiceInputs = { installation: Installation; log: Log };

const SERVICES_BY_POOL: Record<
  Pool,
  (configuration: WorkerConfiguration, by: ServiceInputs) => Promise<PoolServices>
> = {
  ledger: async () => noServices('ledger'),

  documents: async ({ DATA_DIR, PUPPETEER_EXECUTABLE_PATH }, { log }) => {
    const { openBrowser } = await import('../outside/browser.ts');
    const browser = openBrowser({
      folder: path.resolve(DATA_DIR, 'browser'),
      executablePath: PUPPETEER_EXECUTABLE_PATH,
      onTrouble: (message) => log.warn({ reason: message }, 'trouble with the browser'),
    });
    return {
      ...noServices('documents'),
      pdf: (html, options) => browser.pdf(html, options),
      close: () => browser.close(),
    };
  },

  outbound: async (configuration, { installation }) => {
    const { openHttp } = await import('../outside/http.ts');
    const { openIdentityClient: openIdentity } = await import('../outside/identity.ts');
    const { openMailer } = await import('../outside/mailer.ts');
    const { openScanner } = await import('../outside/scanner.ts');
    const { openSftp } = await import('../outside/sftp.ts');
    const { openSms } = await import('../outside/sms.ts');
    const { CLAMD_URL } = configuration;
    const outbox = path.resolve(configuration.DATA_DIR, 'outbox');
    const http = openHttp({ networks: installation.networks });
    const mailer = openMailer({ smtpUrl: configuration.SMTP_URL, outbox });
    const mayWriteFiles =
      configuration.NODE_ENV !== 'production' || configuration.MESSAGES_TO === 'files';
    const texts = openSms({
      twilio: twilioSettings(configuration),
      ...(mayWriteFiles && { outbox }),
    });
    const close = async () => {
      mailer.close();
      await http.close();
    };
    return {
      post: (request) => http.post(request),
      read: (url) => http.ask({ url, method: 'GET', headers: {} }),
      download: (url, bytesMax) => http.download(url, bytesMax),
      identity: openIdentity(http),
      pdf: missingService('browser', 'outbound'),
      mail: (letter) => mailer.mail(letter),
      sms: (message) => texts.sms(message),
      upload: openSftp({ networks: installation.networks }),
      scan: CLAMD_URL
        ? openScanner(CLAMD_URL)
        : missingService('virus scanner (CLAMD_URL)', 'outbound'),
      close,
    };
  },
};

function twilioSettings(configuration: WorkerConfiguration) {
  const { TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN, TWILIO_STATUS_CALLBACK } = configuration;
  if (!TWILIO_ACCOUNT_SID || !TWILIO_AUTH_TOKEN) return undefined;
  return {
    accountSid: TWILIO_ACCOUNT_SID,
    authToken: TWILIO_AUTH_TOKEN,
    ...(TWILIO_STATUS_CALLBACK ? { statusCallback: TWILIO_STATUS_CALLBACK } : {}),
  };
}

import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Variables } from '../../sql/database/environment.ts';

const DAY_MS = 86_400_000;
const VALID_DAYS = 365;
/** A certificate that expires sooner is replaced. */
const RENEW_DAYS = 30;
const LOOPBACK = '127.0.0.0/8, ::1/128';

/**
 * The variables with which a development installation delivers to receivers on this machine: a trusted
 * certificate for `localhost` in DATA_DIR/receiver, and the loopback networks. Given authorities stay trusted,
 * and given networks are kept.
 */
export async function localReceiverVariables(dataDir: string, given: Variables) {
  const folder = path.resolve(dataDir, 'receiver');
  const certificate = await ensureCertificate(folder);
  return {
    NODE_EXTRA_CA_CERTS: joinAuthorities(folder, certificate, given['NODE_EXTRA_CA_CERTS']),
    PRIVATE_NETWORKS: given['PRIVATE_NETWORKS'] || LOOPBACK,
  };
}

/** Returns a file with the certificate and the given authorities, such as those of a company's proxy. */
function joinAuthorities(folder: string, certificate: string, given: string | undefined): string {
  if (!given || !existsSync(given)) return certificate;
  const joined = path.join(folder, 'authorities.pem');
  const texts = [given, certificate].map((file) => readFileSync(file, 'utf8').trimEnd());
  writeFileSync(joined, `${texts.join('\n')}\n`);
  return joined;
}

/** Creates the certificate unless a valid one exists. Returns the path of its file. */
async function ensureCertificate(folder: string): Promise<string> {
  const files = { cert: path.join(folder, 'cert.pem'), key: path.join(folder, 'key.pem') };
  if (existsSync(files.key) && isValid(files.cert)) return files.cert;
  // Loaded only here, because it takes 0.2 seconds.
  const { makeCertificate } = await import('../outside/certificate.ts');
  const now = Date.now();
  const { cert, key } = await makeCertificate(
    ['localhost', '127.0.0.1'],
    new Date(now - DAY_MS),
    new Date(now + VALID_DAYS * DAY_MS),
  );
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(files.key, key, { mode: 0o600 });
  writeFileSync(files.cert, cert);
  return files.cert;
}

function isValid(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    const { validTo } = new X509Certificate(readFileSync(file));
    return Date.parse(validTo) > Date.now() + RENEW_DAYS * DAY_MS;
  } catch {
    return false;
  }
}

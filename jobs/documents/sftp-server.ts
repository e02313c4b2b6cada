import { z } from 'zod';
import * as servers from '../../sql/documents/sftp-servers.ts';
import type { Row } from '../../sql/table.ts';
import { insert, update } from '../../sql/write.ts';
import { Invalid } from '../errors.ts';
import { checkHost } from '../networks/host-url.ts';
import type { ExternalServices, SendResult, Upload } from '../external-systems.ts';
import { settingsOf } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';

/**
 * Fingerprints as printed by `ssh-keygen -lf`. Several are allowed, so that a new key can be added before
 * the server changes.
 */
export const SftpHostKeys = z
  .array(
    z
      .string()
      .max(60)
      .regex(
        /^SHA256:[A-Za-z0-9+/]{43}$/,
        'Must be a fingerprint as printed by ssh-keygen -lf, starting with SHA256:.',
      ),
  )
  .min(1, 'Must contain at least one key.')
  .max(5)
  .refine((keys) => new Set(keys).size === keys.length, 'Must not contain the same key twice.');

/** Excludes parent folders and characters with a special meaning in shells and logs. */
export const SftpFolder = z
  .string()
  .max(200)
  .regex(/^[\w. /-]*$/, 'Must be letters, digits, and . _ - / or spaces.')
  .refine((folder) => !folder.split('/').includes('..'), 'Must not contain "..".');

export const SftpPrivateKey = z
  .string()
  .max(20_000)
  .refine(isPrivateKey, 'Must be a complete private key, including its BEGIN and END lines.')
  .refine(
    (text) => !needsPassphrase(text),
    'Must not have a passphrase. We store the key encrypted.',
  );

type Secrets = { password?: string | null | undefined; private_key?: string | null | undefined };
type ServerInput = Secrets & { host: string; [field: string]: unknown };
type ServerChanges = Secrets & { host?: string | undefined; [field: string]: unknown };

/** Adds a server and seals its password or private key. */
export async function addSftpServer(work: Work, { password, private_key, ...given }: ServerInput) {
  await assertHostAllowed(work, given.host);
  if (Boolean(password) === Boolean(private_key))
    throw new Invalid({ password: 'Give either password or private_key, not both.' });
  return insert(work.tx, 'sftp_servers', {
    ...given,
    ...sealSecrets(work, { password, private_key }),
  });
}

/** These fields determine who receives the secret. Changing one requires entering the secret again. */
const RECIPIENT_FIELDS = ['host', 'port', 'host_keys'] as const;

/** Changes a server. Setting a password removes the private key, and vice versa. */
export async function changeSftpServer(work: Work, id: string, changes: ServerChanges, row: Row) {
  const { password, private_key, ...rest } = changes;
  const elsewhere = RECIPIENT_FIELDS.find(
    (name) => rest[name] !== undefined && JSON.stringify(rest[name]) !== JSON.stringify(row[name]),
  );
  if (elsewhere && !password && !private_key)
    throw new Invalid({
      [elsewhere]: 'Also give the password or private_key again, because the server changed.',
    });
  await assertHostAllowed(work, rest.host);
  if (password && private_key)
    throw new Invalid({ password: 'Give either password or private_key, not both.' });
  const sealedSecrets = password || private_key ? sealSecrets(work, { password, private_key }) : {};
  await update(work.tx, 'sftp_servers', id, { ...rest, ...sealedSecrets });
}

function sealSecrets({ installation, tenant_id }: Work, { password, private_key }: Secrets) {
  const seal = (text: string | null | undefined) =>
    text ? installation.keys.seal(tenant_id, text) : null;
  return { password_sealed: seal(password), private_key_sealed: seal(private_key) };
}

async function assertHostAllowed({ tx, installation }: Work, host: string | undefined) {
  if (host === undefined) return;
  const { webhooks } = await settingsOf(tx);
  const problem = checkHost(host, installation.networks, webhooks);
  if (problem) throw new Invalid({ host: problem });
}

/** The current destination and credentials. Null if the server is inactive. */
export async function loadSftpCredentials({ tx, tenant_id }: Work, id: string) {
  const { is_active, password_sealed, private_key_sealed, ...place } = await servers.findServer(
    tx,
    id,
  );
  if (!is_active) return null;
  const { allow_private_hosts } = (await settingsOf(tx)).webhooks;
  return (keys: { unseal(tenantId: string, sealed: string): string }): Destination => ({
    ...place,
    allow_private_hosts,
    ...(password_sealed !== null && { password: keys.unseal(tenant_id, password_sealed) }),
    ...(private_key_sealed !== null && { private_key: keys.unseal(tenant_id, private_key_sealed) }),
  });
}

type StoredUpload = Pick<Upload, 'filename' | 'partial_name'> & {
  storage_key: string;
  file_size: number;
};

/** Uploads a stored file. Replaces a file of the same name. */
export async function uploadToSftp(
  outside: ExternalServices,
  signIn: Awaited<ReturnType<typeof loadSftpCredentials>>,
  { storage_key, file_size: size, ...names }: StoredUpload,
): Promise<SendResult> {
  if (signIn === null) return SWITCHED_OFF;
  const content = async () => {
    const stream = await outside.files.stream(storage_key);
    if (stream === null) throw new Error('The file is missing from the document store.');
    return stream;
  };
  return outside.upload({ ...signIn(outside.keys), ...names, size, content });
}

const SWITCHED_OFF: SendResult = {
  ok: false,
  provider: 'sftp',
  temporary: false,
  error_code: 'sftp',
  error_message: 'The server is inactive. Set its is_active to true first.',
};

type Destination = Omit<Upload, 'filename' | 'partial_name' | 'size' | 'content'>;

const LINES = /^-----BEGIN ([A-Z ]{0,20})PRIVATE KEY-----\s[\s\S]*-----END \1PRIVATE KEY-----\s*$/;

function isPrivateKey(text: string): boolean {
  return LINES.test(text.trim());
}

/** PEM states encryption in its header. OpenSSH's format names its cipher in the first bytes. */
function needsPassphrase(text: string): boolean {
  if (/^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(text)) return true;
  const lines = text.trim().split('\n');
  const bytes = Buffer.from(lines.slice(1, -1).join(''), 'base64').toString('latin1');
  return bytes.startsWith('openssh-key-v1\0') && bytes.slice(19, 23) !== 'none';
}

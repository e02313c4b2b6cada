import { createHash, timingSafeEqual } from 'node:crypto';
import { connect as connectSocket, type Socket } from 'node:net';
import { promisify } from 'node:util';
import ssh2, { type ServerHostKeyAlgorithm, type SFTPWrapper } from 'ssh2';
import { checkHost, allowsPrivateHosts, mayReach } from '../../jobs/networks/host-url.ts';
import type { Networks } from '../../jobs/networks/networks.ts';
import type { ExternalServices, SendResult, Upload } from '../../jobs/external-systems.ts';
import {
  guardedLookup,
  NOT_PUBLIC,
  resolvePublicName,
  resolveSystemName,
  type Resolve,
} from './public-names.ts';
import { sftpFailureAnswer, SftpRefusal } from './sftp-failures.ts';
import { writeAhead } from './write-ahead.ts';

export type SftpOptions = {
  networks: Networks;
  resolve?: Resolve;
  /** How long the server may be silent, in milliseconds. Default: 20,000. */
  patience_ms?: number;
  /**
   * The maximum for the whole upload, in milliseconds. It must be below the outbound pool's deadline.
   * Default: 100,000.
   */
  timeout_ms?: number;
};

/** Excludes SHA-1 and DSA. Every current server supports one of these. */
const HOST_KEYS: ServerHostKeyAlgorithm[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
];

/**
 * Uploads files to untrusted servers (SFTP, version 3). Addresses are checked as for webhooks. If the
 * server's host key is not among the configured keys, the client disconnects before it sends its user name.
 *
 * A file is uploaded under a temporary name, its size is compared, and then it is renamed. So a reader
 * never finds half a file. A repeated upload replaces both names and leaves one file.
 */
export function openSftp(options: SftpOptions): ExternalServices['upload'] {
  const { timeout_ms = 100_000 } = options;
  return async (upload) => {
    const lost = Promise.withResolvers<never>();
    lost.promise.catch(() => {});
    const client = new ssh2.Client();
    let socket: Socket | undefined;
    const late = setTimeout(
      () =>
        lost.reject(new Error(`The upload did not finish within ${timeout_ms / 1000} seconds.`)),
      timeout_ms,
    );
    try {
      socket = await openConnection(upload, options, lost.reject);
      const steps = putFile(client, socket, upload, lost.reject);
      steps.catch(() => {});
      return await Promise.race([steps, lost.promise]);
    } catch (error) {
      return sftpFailureAnswer(error, upload);
    } finally {
      clearTimeout(late);
      client.on('error', () => {}).end();
      socket?.destroy();
    }
  };
}

/** Connects to one of the checked addresses and checks the connected address again. */
async function openConnection(
  { host, port, allow_private_hosts = false }: Upload,
  { networks, patience_ms = 20_000, ...options }: SftpOptions,
  lose: (error: Error) => void,
): Promise<Socket> {
  const opening = { allow_private_hosts };
  const problem = checkHost(host, networks, opening);
  if (problem) throw new SftpRefusal(problem);
  const isAllowed = (address: string) => mayReach(address, networks, opening);
  const given = allowsPrivateHosts(networks, opening)
    ? resolveSystemName
    : (options.resolve ?? resolvePublicName);
  const lookup = guardedLookup(given, isAllowed);
  // SFTP exchanges many short messages, which must not be delayed to combine them.
  const socket = connectSocket({ host, port, lookup, autoSelectFamily: true, noDelay: true });
  const silence = () => new Error(`The server was silent for ${patience_ms / 1000} seconds.`);
  socket.setTimeout(patience_ms, () => socket.destroy(silence()));
  await new Promise<void>((done, fail) => {
    socket.once('connect', done).on('error', fail);
    socket.on('error', lose).on('close', () => lose(new Error('The server hung up.')));
  });
  if (isAllowed(socket.remoteAddress ?? '')) return socket;
  socket.destroy();
  throw new SftpRefusal(NOT_PUBLIC);
}

async function putFile(
  client: ssh2.Client,
  sock: Socket,
  upload: Upload,
  lose: (error: Error) => void,
): Promise<SendResult> {
  const sftp = await signIn(client, sock, upload, lose);
  const { folder, filename, partial_name, size } = upload;
  const parent = folder === '' || folder.endsWith('/') ? folder : `${folder}/`;
  const pathOf = (name: string) => `${parent}${name}`;
  const [partial, path] = [pathOf(partial_name), pathOf(filename)];
  const handle = await promisify(sftp.open.bind(sftp))(partial, 'w');
  await writeAhead(sftp, handle, await upload.content());
  await promisify(sftp.close.bind(sftp))(handle);
  const partialFile = await promisify(sftp.stat.bind(sftp))(partial);
  if (partialFile.size !== size)
    throw new Error(`The server has ${partialFile.size} bytes of the file's ${size}.`);
  await renameOver(sftp, partial, path);
  return { ok: true, provider: 'sftp', provider_message_id: path };
}

function signIn(
  client: ssh2.Client,
  sock: Socket,
  upload: Upload,
  lose: (error: Error) => void,
): Promise<SFTPWrapper> {
  const { username, password, private_key: privateKey, host_keys } = upload;
  return new Promise((done, fail) => {
    const failed = (error: Error) => {
      fail(error);
      lose(error);
    };
    client.on('error', failed).on('close', () => failed(new Error('The server hung up.')));
    client.on('ready', () => client.sftp((error, sftp) => (error ? fail(error) : done(sftp))));
    client.connect({
      sock,
      username,
      ...(password !== undefined && { password }),
      ...(privateKey !== undefined && { privateKey }),
      readyTimeout: 0,
      algorithms: { serverHostKey: HOST_KEYS },
      hostVerifier: (key: Buffer) => {
        const shown = `SHA256:${createHash('sha256').update(key).digest('base64').slice(0, 43)}`;
        const isKnown = host_keys.some((known) => isSame(known, shown));
        if (!isKnown) failed(new SftpRefusal(unknownHostKey(shown)));
        return isKnown;
      },
    });
  });
}

const isSame = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

const unknownHostKey = (shown: string) =>
  `The server's key ${shown} is not in host_keys. Ask the server's operator to confirm the key, then add it.`;

/** Replaces an existing file, which a plain rename refuses on many servers. */
async function renameOver(sftp: SFTPWrapper, from: string, to: string) {
  try {
    await promisify(sftp.ext_openssh_rename.bind(sftp))(from, to);
  } catch (error) {
    // If the server supports the extension but refuses the rename, the previous file stays.
    if (!isUnsupportedOperation(error)) throw error;
    await exchangeFiles(sftp, from, to);
  }
}

/** ssh2 reports a missing extension without a code. A server answers with status 8. */
const isUnsupportedOperation = (error: unknown) => {
  const { code } = error as { code?: unknown };
  return code === undefined || code === 8;
};

/** Moves the previous file aside, renames the new one, and restores the previous file if that fails. */
async function exchangeFiles(sftp: SFTPWrapper, from: string, to: string) {
  const rename = promisify(sftp.rename.bind(sftp));
  const unlink = promisify(sftp.unlink.bind(sftp));
  const aside = `${from}.previous`;
  const refused = await rename(from, to).then(
    () => null,
    (error: unknown) => error,
  );
  if (refused !== null) {
    await promisify(sftp.stat.bind(sftp))(to).catch(() => {
      throw refused;
    });
    // An interrupted attempt may have left an older file here.
    await unlink(aside).catch(() => {});
    await rename(to, aside);
    await rename(from, to).catch(async (error: unknown) => {
      await rename(aside, to).catch(() => {});
      throw error;
    });
  }
  await unlink(aside).catch(() => {});
}

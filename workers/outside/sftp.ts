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
  /** Without a word from the server, before we give up. Default 20,000. */
  patience_ms?: number;
  /** For the whole of it, within the time that a job of the outbound pool has. Default 100,000. */
  timeout_ms?: number;
};

/** Both sides can do better than what is not named here: SHA-1 and DSA are refused. */
const HOST_KEYS: ServerHostKeyAlgorithm[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
];

/**
 * Puts files on servers of strangers (SFTP, version 3). The name is resolved and judged as it is for
 * webhooks, and the connection goes to the address that was judged. A server whose key is not among
 * those that were named beforehand is told nothing, not even who we are.
 *
 * A file is written under another name, its size compared, and then given its own: whoever fetches
 * it never finds half of it. A repeat replaces what it finds under both names, so one file is left.
 */
export function openSftp(options: SftpOptions): ExternalServices['upload'] {
  const { timeout_ms = 100_000 } = options;
  return async (upload) => {
    const lost = Promise.withResolvers<never>();
    lost.promise.catch(() => {});
    const client = new ssh2.Client();
    let socket: Socket | undefined;
    const late = setTimeout(
      () => lost.reject(new Error(`The file was not there within ${timeout_ms / 1000} seconds.`)),
      timeout_ms,
    );
    try {
      socket = await opened(upload, options, lost.reject);
      const steps = put(client, socket, upload, lost.reject);
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

/** A connection to one of the addresses that were judged; the one it reached is judged again. */
async function opened(
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
  // Short words to and fro, of which none shall wait for an answer to the one before.
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

async function put(
  client: ssh2.Client,
  sock: Socket,
  upload: Upload,
  lose: (error: Error) => void,
): Promise<SendResult> {
  const sftp = await signedIn(client, sock, upload, lose);
  const { folder, filename, partial_name, size } = upload;
  const parent = folder === '' || folder.endsWith('/') ? folder : `${folder}/`;
  const pathOf = (name: string) => `${parent}${name}`;
  const [partial, path] = [pathOf(partial_name), pathOf(filename)];
  const handle = await promisify(sftp.open.bind(sftp))(partial, 'w');
  await writeAhead(sftp, handle, await upload.content());
  await promisify(sftp.close.bind(sftp))(handle);
  const there = await promisify(sftp.stat.bind(sftp))(partial);
  if (there.size !== size)
    throw new Error(`The server has ${there.size} bytes of the file's ${size}.`);
  await renamed(sftp, partial, path);
  return { ok: true, provider: 'sftp', provider_message_id: path };
}

function signedIn(
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
        if (!isKnown) failed(new SftpRefusal(strange(shown)));
        return isKnown;
      },
    });
  });
}

const isSame = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

const strange = (shown: string) =>
  `The server shows the key ${shown}, which is not among host_keys. Ask whoever runs it whether that is theirs.`;

/** In place of what has that name already, which a plain rename of many servers refuses. */
async function renamed(sftp: SFTPWrapper, from: string, to: string) {
  try {
    await promisify(sftp.ext_openssh_rename.bind(sftp))(from, to);
  } catch (error) {
    // Where the server knows the extension and refuses, the file of before stays.
    if (!isUnknown(error)) throw error;
    await exchanged(sftp, from, to);
  }
}

/** ssh2 says so itself, without a code; or the server answers that it does not support it (8). */
const isUnknown = (error: unknown) => {
  const { code } = error as { code?: unknown };
  return code === undefined || code === 8;
};

/** The file of before is laid aside until the new one has its name, and gets it back where that fails. */
async function exchanged(sftp: SFTPWrapper, from: string, to: string) {
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
    // What an attempt that was cut off had laid there is older than what has the name.
    await unlink(aside).catch(() => {});
    await rename(to, aside);
    await rename(from, to).catch(async (error: unknown) => {
      await rename(aside, to).catch(() => {});
      throw error;
    });
  }
  await unlink(aside).catch(() => {});
}

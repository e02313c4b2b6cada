import { createHash } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import ssh2, { type Connection, type SFTPWrapper } from 'ssh2';
import { onTestFinished } from 'vitest';

/** Ways in which a server misbehaves. */
export type SftpFaults = {
  /** Hangs up after receiving this many bytes of a file. */
  hangs_up_after?: number;
  /** Accepts parts of files without acknowledging them. */
  is_silent?: boolean;
  /** Acknowledges bytes that it has lost. */
  loses_bytes?: boolean;
  no_folder?: boolean;
  is_locked?: boolean;
  /** Refuses to rename a complete file to this name, this many times. */
  refuses_name?: { name: string; times: number };
};

const PASSWORD = 'canary of the sftp server';
const { OK, FAILURE, NO_SUCH_FILE, PERMISSION_DENIED } = ssh2.utils.sftp.STATUS_CODE;

/**
 * An SFTP server on this machine that keeps its files in memory and records which user wrote which name.
 */
export async function newSftpServer(manners: SftpFaults = {}) {
  const [host, user] = [newKey(), newKey()];
  const files = new Map<string, Buffer>();
  const heard: string[] = [];
  const speaking = new ssh2.Server({ hostKeys: [host.private] }, (client) =>
    welcome(client, { files, heard, manners, key: user.public }),
  );
  // Real servers send their answers without delay.
  const server = createServer({ noDelay: true }, (socket) => speaking.injectSocket(socket));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return {
    files,
    heard,
    manners,
    address: {
      host: 'localhost',
      port: (server.address() as AddressInfo).port,
      username: 'lender',
      host_keys: [fingerprintOf(host.public)],
    },
    password: PASSWORD,
    private_key: user.private,
  };
}

/** ssh2 occasionally generates a key that it cannot read itself. */
function newKey(): ReturnType<typeof ssh2.utils.generateKeyPairSync> {
  const pair = ssh2.utils.generateKeyPairSync('ed25519');
  return ssh2.utils.parseKey(pair.private) instanceof Error ? newKey() : pair;
}

/** In the format of `ssh-keygen -lf`. */
function fingerprintOf(publicKey: string): string {
  const key = ssh2.utils.parseKey(publicKey);
  if (key instanceof Error) throw key;
  const hash = createHash('sha256').update(key.getPublicSSH()).digest('base64');
  return `SHA256:${hash.slice(0, 43)}`;
}

type World = {
  files: Map<string, Buffer>;
  heard: string[];
  manners: SftpFaults;
  key: string;
};

function welcome(client: Connection, world: World) {
  client.on('error', () => {});
  client.on('authentication', (asked) => {
    world.heard.push(`${asked.method} of ${asked.username}`);
    const known = ssh2.utils.parseKey(world.key);
    const isKey =
      asked.method === 'publickey' &&
      !(known instanceof Error) &&
      asked.key.data.equals(known.getPublicSSH()) &&
      (asked.signature === undefined ||
        known.verify(asked.blob ?? Buffer.alloc(0), asked.signature, asked.hashAlgo));
    if (isKey || (asked.method === 'password' && asked.password === PASSWORD)) asked.accept();
    else asked.reject(['password', 'publickey']);
  });
  client.on('session', (accept) => accept().on('sftp', (open) => serve(open(), client, world)));
}

function serve(sftp: SFTPWrapper, client: Connection, { files, heard, manners }: World) {
  const open: string[] = [];
  const nameOf = (handle: Buffer) => open[handle.readUInt32BE(0)] ?? '';
  sftp.on('OPEN', (id, name) => {
    heard.push(`open ${name}`);
    if (manners.no_folder) return sftp.status(id, NO_SUCH_FILE);
    if (manners.is_locked) return sftp.status(id, PERMISSION_DENIED);
    files.set(name, Buffer.alloc(0));
    const handle = Buffer.alloc(4);
    handle.writeUInt32BE(open.push(name) - 1);
    return sftp.handle(id, handle);
  });
  sftp.on('WRITE', (id, handle, offset, data) => {
    const before = files.get(nameOf(handle)) ?? Buffer.alloc(0);
    const after = Buffer.alloc(Math.max(before.length, offset + data.length));
    before.copy(after);
    data.copy(after, offset);
    if (!manners.loses_bytes) files.set(nameOf(handle), after);
    if (after.length > (manners.hangs_up_after ?? Infinity)) return client.end();
    return manners.is_silent ? undefined : sftp.status(id, OK);
  });
  sftp.on('CLOSE', (id) => sftp.status(id, OK));
  sftp.on('STAT', (id, name) => {
    const file = files.get(name);
    if (!file) return sftp.status(id, NO_SUCH_FILE);
    const times = { atime: 0, mtime: 0 };
    return sftp.attrs(id, { size: file.length, mode: 0o100_644, uid: 0, gid: 0, ...times });
  });
  sftp.on('REMOVE', (id, name) => sftp.status(id, files.delete(name) ? OK : NO_SUCH_FILE));
  // SFTP version 3: a rename never replaces an existing file.
  sftp.on('RENAME', (id, from, to) => {
    const file = files.get(from);
    const { name, times = 0 } = manners.refuses_name ?? {};
    const isRefused = to === name && from.endsWith('.part') && times > 0;
    if (isRefused && manners.refuses_name) manners.refuses_name.times -= 1;
    if (!file || files.has(to) || isRefused) return sftp.status(id, FAILURE);
    heard.push(`rename ${to}`);
    files.set(to, file);
    files.delete(from);
    return sftp.status(id, OK);
  });
}

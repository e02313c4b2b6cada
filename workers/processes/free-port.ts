import { createServer, type AddressInfo } from 'node:net';
import { StartupError } from '../../sql/database/startup-error.ts';
import { dictionary } from '../../sql/dictionary.ts';

const REASONS = dictionary<string>({
  EADDRINUSE: 'somebody else is listening there',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'this machine has no such address',
});

/** Throws if the port is in use. The message says how to choose another one. */
export async function assertFree(variable: string, port: number, host: string): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  const error = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    probe.once('error', resolve);
    probe.listen(port, host, () => resolve(null));
  });
  await new Promise((resolve) => probe.close(resolve));
  if (error === null) return;
  const why = REASONS[error.code ?? ''] ?? error.message;
  throw new StartupError(
    `Port ${port} of ${host} is not available: ${why}. Set ${variable} to another port.`,
  );
}

/** Returns a port that is currently unused. */
export async function freePort(host: string): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, host, resolve);
  });
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

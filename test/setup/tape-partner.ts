import { networksOf } from '../../jobs/networks/networks.ts';
import { openSftp } from '../../workers/outside/sftp.ts';
import { loanRows } from './loan-rows.ts';
import { newOutside } from './outside.ts';
import { drain } from './queue.ts';
import { settle } from './settings.ts';
import { newSftpServer, type Manners } from './sftp-server.ts';
import { tapeOf } from './tape-files.ts';
import type { Stage } from './world.ts';

/** A tenant's tape that is put on a server of this machine. */
export async function partner(stage: Stage, manners: Manners = {}) {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  await settle(tenant, { webhooks: { allow_private_hosts: true } });
  await loanRows(tenant, { loan_number: 'A-1' });
  const { files, keys } = stage.installation;
  const upload = openSftp({ networks: networksOf([]), patience_ms: 2_000 });
  const outside = Object.assign(newOutside(stage.pool), { files, keys, upload });
  const server = await newSftpServer(manners);
  const { address, password } = server;
  const named = { name: 'First Fund', ...address, folder: '/in/' };
  const made = await admin.post('/sftp-servers', { ...named, password });
  const config = { columns: ['loan_number'], name: 'Fund', delivery: 'sftp' };
  const tape = await tapeOf(stage, tenant, admin, { ...config, sftp_server_id: made.body.id });
  const work = () => drain(stage, outside, ['generate-tape', 'deliver-tape']);
  const make = async () => {
    const { id } = (await tape.generate()).body;
    await work();
    return `/loan-tapes/${id}`;
  };
  return {
    ...{ tenant, admin, server, config, work, make, outside, tape },
    known: made.body,
    path: `/sftp-servers/${made.body.id}`,
  };
}

import { parseNetworks } from '../../jobs/networks/networks.ts';
import { openSftp } from '../../workers/outside/sftp.ts';
import { insertLoans } from './loan-rows.ts';
import { newOutside } from './outside.ts';
import { runJobs } from './queue.ts';
import { saveSettings } from './settings.ts';
import { newSftpServer, type SftpFaults } from './sftp-server.ts';
import { newTapeConfig } from './tape-files.ts';
import type { Stage } from './world.ts';

/** A tenant whose tape is delivered to an SFTP server on this machine. */
export async function newTapePartner(stage: Stage, manners: SftpFaults = {}) {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  await saveSettings(tenant, { webhooks: { allow_private_hosts: true } });
  await insertLoans(tenant, { loan_number: 'A-1' });
  const { files, keys } = stage.installation;
  const upload = openSftp({ networks: parseNetworks([]), patience_ms: 2_000 });
  const outside = Object.assign(newOutside(stage.pool), { files, keys, upload });
  const server = await newSftpServer(manners);
  const { address, password } = server;
  const named = { name: 'First Fund', ...address, folder: '/in/' };
  const made = await admin.post('/sftp-servers', { ...named, password });
  const config = { columns: ['loan_number'], name: 'Fund', delivery: 'sftp' };
  const tape = await newTapeConfig(stage, tenant, admin, {
    ...config,
    sftp_server_id: made.body.id,
  });
  const work = () => runJobs(stage, outside, ['generate-tape', 'deliver-tape']);
  const make = async () => {
    const { id } = (await tape.generate()).body;
    await work();
    return `/loan-tapes/${id}`;
  };
  return {
    tenant,
    admin,
    server,
    config,
    work,
    make,
    outside,
    tape,
    known: made.body,
    path: `/sftp-servers/${made.body.id}`,
  };
}

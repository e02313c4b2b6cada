import { sftpServers } from '../../sql/documents/sftp-servers.ts';
import * as deliveries from '../../sql/mailing/deliveries.ts';
import * as batches from '../../sql/mailing/batches.ts';
import { rowExists } from '../../sql/table.ts';
import { Conflict, Invalid } from '../errors.ts';
import { enqueue } from '../job.ts';
import { settingsOf } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';
import { deliverMailBatch } from './deliver-mail-batch.job.ts';
import { lockBatchWithFiles } from './lock-batch.ts';

/** Uploads a batch to a server. A repeat uploads the same files under the same names. */
export async function handOverBatch(
  work: Work,
  id: string,
  { sftp_server_id }: { sftp_server_id?: string | null | undefined },
) {
  await lockBatchWithFiles(work, id);
  const server = sftp_server_id ?? (await serverOf(work));
  if (server === '')
    throw new Invalid({
      sftp_server_id: 'Is required unless communications.mail_house.sftp_server_id is set.',
    });
  if (!(await rowExists(work.tx, sftpServers, server)))
    throw new Invalid({ sftp_server_id: 'Does not exist.' });
  if (!(await orderDelivery(work, id, server))) throw deliveryUnderWay();
}

/** Uploads a completed batch to the tenant's configured server, if there is one. */
export async function handOverToDefaultServer(work: Work, id: string) {
  const server = await serverOf(work);
  if (server !== '') await orderDelivery(work, id, server);
}

const serverOf = async ({ tx }: Work) =>
  (await settingsOf(tx)).communications.mail_house.sftp_server_id;

async function orderDelivery({ tx, tenant_id }: Work, batchId: string, serverId: string) {
  const ordered = await deliveries.startOrRestart(tx, batchId, serverId);
  if (ordered === null) return false;
  await batches.markHandedOver(tx, batchId);
  const payload = { tenant_id, delivery_id: ordered.id, attempt: ordered.attempts + 1 };
  await enqueue(tx, deliverMailBatch, payload);
  return true;
}

export const deliveryUnderWay = () =>
  new Conflict('The batch is already being delivered to this server.', 'under_way');

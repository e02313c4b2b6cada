import type { Transaction } from '../../sql/database/db.ts';
import type { AccountMessage } from '../../templates/account-messages.ts';
import { enqueue } from '../job.ts';
import { sendAccountMessage } from './send-account-message.job.ts';

type Told = {
  user_id: string | null;
  message: AccountMessage;
  about?: string;
  provider_id?: string;
};

/**
 * Has a user told about his account by mail. Without a user nobody is told, at the same cost: how
 * long an answer takes does not say whether an account exists.
 */
export const notifyUser = (
  { tx, tenant_id }: { tx: Transaction; tenant_id: string },
  { about, ...told }: Told,
) => enqueue(tx, sendAccountMessage, { tenant_id, ...told, ...(about && { about }), attempt: 1 });

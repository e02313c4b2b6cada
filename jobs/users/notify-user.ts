import type { Transaction } from '../../sql/database/db.ts';
import type { AccountMessage } from '../../templates/account-messages.ts';
import { enqueue } from '../job.ts';
import { sendAccountMessage } from './send-account-message.job.ts';

type UserNotification = {
  user_id: string | null;
  message: AccountMessage;
  about?: string;
  provider_id?: string;
};

/**
 * Enqueues an email to a user about their account. Without a user_id it enqueues a job that sends nothing,
 * so that the response time does not reveal whether an account exists.
 */
export const notifyUser = (
  { tx, tenant_id }: { tx: Transaction; tenant_id: string },
  { about, ...notification }: UserNotification,
) =>
  enqueue(tx, sendAccountMessage, {
    tenant_id,
    ...notification,
    ...(about && { about }),
    attempt: 1,
  });

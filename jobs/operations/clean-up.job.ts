import { z } from 'zod';
import * as tenants from '../../sql/tenants.ts';
import * as idempotency from '../../sql/users/idempotency.ts';
import * as pendingSignIns from '../../sql/users/pending-sign-ins.ts';
import * as providerSignIns from '../../sql/users/provider-sign-ins.ts';
import * as sessions from '../../sql/users/sessions.ts';
import * as throttle from '../../sql/users/throttle.ts';
import * as webhookAttempts from '../../sql/webhooks/attempts.ts';
import * as deadLetters from '../../sql/webhooks/dead-letters.ts';
import * as subscriptions from '../../sql/webhooks/subscriptions.ts';
import { removeAbandonedBooks } from '../books/imports/remove-abandoned.ts';
import { removeExpiredBooks } from '../books/exports/export-book.job.ts';
import { removeExpiredExports } from '../borrowers/privacy/remove-expired-exports.ts';
import { clearExpiredUploads } from '../documents/clear-expired-uploads.ts';
import { job } from '../job.ts';
import { removeOldBatchFiles } from '../mailing/remove-old-batch-files.ts';
import { settingsOf } from '../users/settings/settings.ts';
import { NO_TENANT_ID } from '../work.ts';

/**
 * Deletes data that is no longer usable: ended sessions and sign-ins, old idempotency keys, throttle
 * counters, unconfirmed uploads, abandoned imports, expired exports and letter batches, and old responses of webhook
 * receivers.
 */
export const cleanUp = job({
  name: 'clean-up',
  pool: 'ledger',
  payload: z.object({}),
  attempts: 3,

  async run(_payload, outside) {
    const active = await outside.within(NO_TENANT_ID, ({ tx }) => tenants.listActiveTenants(tx), {
      readOnly: true,
    });
    for (const { id } of active) {
      await outside.within(id, async ({ tx }) => {
        const { idempotency: kept, webhooks } = await settingsOf(tx);
        await sessions.deleteEndedSessions(tx);
        await pendingSignIns.deleteEndedPendingSignIns(tx);
        await providerSignIns.deleteEndedProviderSignIns(tx);
        await idempotency.deleteOld(tx, kept.ttl_hours);
        await throttle.deleteOldHits(tx);
        await webhookAttempts.deleteOldAttempts(tx, webhooks.keep_attempts_days);
        await deadLetters.clearOldAnswers(tx, webhooks.keep_attempts_days);
        await subscriptions.deleteExpiredSecrets(tx);
      });
      await clearExpiredUploads(outside, id);
      await removeExpiredExports(outside, id);
      await removeExpiredBooks(outside, id);
      await removeAbandonedBooks(outside, id);
      await removeOldBatchFiles(outside, id);
    }
  },
});

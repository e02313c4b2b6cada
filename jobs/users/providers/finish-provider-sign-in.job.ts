import { z } from 'zod';
import * as providers from '../../../sql/users/identity-providers.ts';
import * as signIns from '../../../sql/users/provider-sign-ins.ts';
import { uuid } from '../../../sql/types.ts';
import { job } from '../../job.ts';
import { identifyUser } from '../sign-in/identify-user.ts';
import { requestLinkConsent } from './provider-links.ts';
import { settingsOf } from '../settings/settings.ts';

const CHANGED = 'The provider was changed during the sign-in. Sign in again.';

/**
 * Asks the identity provider who has signed in, and stores the result, for which the API waits. A worker
 * does this because the API process has access to all sessions and must not send requests to external
 * hosts.
 */
export const finishProviderSignIn = job({
  name: 'finish-provider-sign-in',
  pool: 'outbound',
  egress: {
    to: 'an identity provider',
    controls: { tenancy: 'row-level security', sealing: 'the client secret is sealed at rest' },
  },
  payload: z.object({ tenant_id: uuid, sign_in_id: uuid }),
  attempts: 3,

  async run({ tenant_id, sign_in_id }, outside) {
    const found = await outside.within(tenant_id, async ({ tx }) => {
      const asked = await signIns.findCodeToExchange(tx, sign_in_id);
      const provider = asked && (await providers.findActive(tx, asked.provider_id));
      return asked && provider && { ...asked, ...provider, settings: await settingsOf(tx) };
    });
    if (found === null) return; // expired, provider disabled, or already done

    const open = (sealed: string) => outside.keys.unseal(tenant_id, sealed);
    const answer = await outside.identity.claims({
      issuer_url: found.issuer_url,
      client_id: found.client_id,
      client_secret: open(found.client_secret_sealed),
      redirect_url: found.redirect_url,
      code: open(found.code_sealed),
      response_issuer: found.response_issuer,
      nonce: found.nonce,
      verifier: open(found.verifier_sealed),
      allow_private_hosts: found.settings.webhooks.allow_private_hosts,
    });

    await outside.within(tenant_id, async (work) => {
      const { tx } = work;
      const provider_id = found.id;
      const now = await providers.lockActive(tx, provider_id);
      // The claims are valid only for the issuer that was asked, and only while its provider exists.
      if (now?.issuer_url !== found.issuer_url || now.client_id !== found.client_id) {
        await signIns.markProviderSignInFailed(tx, sign_in_id, CHANGED);
        return;
      }
      const known =
        'error' in answer
          ? { problem: answer.error }
          : await identifyUser(work, { ...now, provider_id }, answer.claims);
      if ('problem' in known) await signIns.markProviderSignInFailed(tx, sign_in_id, known.problem);
      else if ('unlinked' in known)
        await requestLinkConsent(work, {
          sign_in_id,
          provider_id,
          user_id: known.unlinked,
          subject: known.subject,
        });
      else await signIns.markUserKnown(tx, sign_in_id, known.user_id, known.is_multi_factor);
    });
  },

  failed: ({ tx }, { sign_in_id }, reason) =>
    signIns.markProviderSignInFailed(tx, sign_in_id, reason),
});

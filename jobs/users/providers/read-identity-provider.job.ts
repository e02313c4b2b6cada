import { z } from 'zod';
import * as providers from '../../../sql/users/identity-providers.ts';
import { uuid } from '../../../sql/types.ts';
import { job } from '../../job.ts';
import { settingsOf } from '../settings/settings.ts';

const NOT_SAFE = 'The authorization endpoint of the provider is not an HTTPS URL.';

/**
 * Reads a provider's authorization endpoint from its discovery document. Users cannot sign in there before.
 * Problems are shown on the provider; saving it again repeats the job.
 */
export const readIdentityProvider = job({
  name: 'read-identity-provider',
  pool: 'outbound',
  egress: { to: 'an identity provider', controls: 'nothing leaves' },
  payload: z.object({ tenant_id: uuid, provider_id: uuid }),
  attempts: 5,

  async run({ tenant_id, provider_id }, outside) {
    const found = await outside.within(tenant_id, async ({ tx }) => {
      const provider = await providers.findActive(tx, provider_id);
      return provider && { ...provider, settings: await settingsOf(tx) };
    });
    if (found === null) return; // disabled or deleted

    const { issuer_url, settings } = found;
    const { allow_private_hosts } = settings.webhooks;
    const answer = await outside.identity.describe({ issuer_url, allow_private_hosts });

    const url = 'error' in answer ? null : answer.authorization_url;
    const isSafe = url !== null && URL.parse(url)?.protocol === 'https:';
    const problem = 'error' in answer ? answer.error : isSafe ? null : NOT_SAFE;
    await outside.within(tenant_id, ({ tx }) =>
      providers.saveDiscovery(tx, provider_id, issuer_url, {
        authorization_url: isSafe ? url : null,
        last_error: problem,
      }),
    );
  },
});

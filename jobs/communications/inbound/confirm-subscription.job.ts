import { z } from 'zod';
import { PROVIDER_CHANNELS } from '../../../sql/communications/channels.ts';
import * as providers from '../../../sql/communications/providers.ts';
import { uuid } from '../../../sql/types.ts';
import { job } from '../../job.ts';
import { isSubscribeUrl } from '../providers/ses.ts';

/** Confirms the provider's callback subscription by requesting the URL that it sent for this purpose. */
export const confirmSubscription = job({
  name: 'confirm-subscription',
  pool: 'outbound',
  egress: { to: 'the provider that asked', controls: 'nothing leaves' },
  payload: z.object({ tenant_id: uuid, channel: z.enum(PROVIDER_CHANNELS) }),
  attempts: 5,

  async run({ tenant_id, channel }, outside) {
    const url = await outside.within(tenant_id, ({ tx }) =>
      providers.findSubscribeUrl(tx, channel),
    );
    if (url === null || !isSubscribeUrl(url)) return; // already confirmed
    const answer = await outside.read(url);
    if ('error' in answer) throw new Error(`The provider was not reached. ${answer.error}`);
    if (answer.status !== 200) throw new Error(`The provider answered ${answer.status}.`);
    await outside.within(tenant_id, ({ tx }) => providers.clearSubscribeUrl(tx, channel, url));
  },
});

import { z } from 'zod';
import { unsubscribe } from '../../jobs/communications/unsubscribe.ts';
import type { Route } from '../endpoints/route.ts';

const Unsubscribe = z.object({
  token: z.string().max(200).describe('The token from the link in the email.'),
});

export const unsubscribeRoute: Route = {
  method: 'POST',
  path: '/communications/unsubscribe',
  allow: 'anyone',
  tag: 'communications',
  summary: 'Unsubscribe with the link in an email',
  description:
    'Called by the page that the link opens. Stops all email to the address that the link was sent to; notices that the law requires then go by letter. Can be repeated.',
  action: 'unsubscribe',
  resource: 'communications',
  transaction: 'write',
  status: 200,
  body: Unsubscribe,
  reply: z.object({}),
  run: async ({ work, body }) => {
    await unsubscribe(work, (body as z.output<typeof Unsubscribe>).token);
    return {};
  },
};

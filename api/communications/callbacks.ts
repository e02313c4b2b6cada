import { z } from 'zod';
import {
  requestCertificate,
  verifyCallback,
  acceptCallback,
  setProvider,
} from '../../jobs/communications/inbound/provider-callbacks.ts';
import { parseBody } from '../../jobs/communications/providers/callback.ts';
import {
  InboundMessage,
  receiveMessage,
} from '../../jobs/communications/inbound/receive-message.ts';
import {
  DeliveryReports,
  processReports,
} from '../../jobs/communications/inbound/delivery-reports.ts';
import { Invalid } from '../../jobs/errors.ts';
import type { Work } from '../../jobs/work.ts';
import { PROVIDER_CHANNELS, type ProviderChannel } from '../../sql/communications/channels.ts';
import { text, requiredText } from '../../sql/types.ts';
import type { OwnTransactionCall, Route } from '../endpoints/route.ts';
import { fieldErrors, HttpRefusal, invalidProviderSignature } from '../http/errors.ts';

const channel = z.enum(PROVIDER_CHANNELS).describe('The channel of the provider.');
const routeDefaults = {
  method: 'POST',
  allow: 'provider',
  tag: 'communications',
  action: 'receive',
  resource: 'communications',
  transaction: 'own',
  status: 200,
} as const;

/** Authenticates the provider before it reads the body. */
async function readProviderCallback<Said>(
  call: OwnTransactionCall,
  { channel: from, says }: { channel: ProviderChannel | null; says: 'reports' | 'message' },
  schema: z.ZodType<Said>,
  steps: (work: Work, message: Said, provider: string) => Promise<unknown>,
) {
  const { within, tenant_id, raw, url, header } = call;
  const callback = { raw, url, header, now: new Date() };
  const verified = await within(tenant_id, (work) => verifyCallback(work, from, callback), {
    readOnly: true,
  });
  if (verified === null) throw invalidProviderSignature();
  if ('certificate_url' in verified) {
    await within(tenant_id, (work) => requestCertificate(work, verified.certificate_url));
    throw certificatePending();
  }
  const checked = verified.provider[says]
    .pipe(schema)
    .safeParse(parseBody(callback), { reportInput: true });
  if (!checked.success) throw new Invalid(fieldErrors(checked.error));
  return within(tenant_id, async (work) => {
    if (!(await acceptCallback(work, verified, callback))) throw invalidProviderSignature();
    return steps(work, checked.data, verified.name);
  });
}

const certificatePending = () =>
  new HttpRefusal(
    503,
    'certificate_awaited',
    "The provider's certificate is still being fetched. Retry shortly.",
    {
      headers: { 'Retry-After': '20' },
    },
  );

/** Providers that send forms expect no JSON. An empty answer tells Twilio not to reply. */
const emptyAnswer = ({ header }: OwnTransactionCall) =>
  header('Content-Type').startsWith('application/json') ? {} : '';

const inboundRoute = (from: ProviderChannel): Route => ({
  ...routeDefaults,
  path: `/communications/webhooks/inbound/${from}`,
  summary: `Receive a borrower's message by ${from}`,
  description:
    'Set this address at your provider. Stores the message in the communication log, honors opt-outs and applies auto responses. Answers 401 for a wrong signature.',
  reply: z.union([z.object({}), z.literal('')]),
  run: async (call: OwnTransactionCall) => {
    await readProviderCallback(
      call,
      { channel: from, says: 'message' },
      InboundMessage,
      (work, message, provider) => receiveMessage(work, from, provider, message),
    );
    return emptyAnswer(call);
  },
});

export const providerCallbackRoutes: Route[] = [
  {
    ...routeDefaults,
    path: '/communications/webhooks/delivery-status',
    summary: 'Record delivery reports from a provider',
    description:
      'Set this address at your provider. Updates the status of sent messages, and marks addresses that bounce or complain. Ignores reports about unknown messages and outdated reports.',
    reply: z.object({
      received: z.int().describe('How many reports the request contained.'),
      changed: z.int().describe('How many of them changed the status of a message.'),
    }),
    run: (call: OwnTransactionCall) =>
      readProviderCallback(
        call,
        { channel: null, says: 'reports' },
        DeliveryReports,
        processReports,
      ),
  },
  inboundRoute('sms'),
  inboundRoute('email'),
  {
    method: 'PUT',
    path: '/communications/providers/{channel}',
    params: { channel },
    allow: 'superadmin',
    tag: 'communications',
    summary: 'Set the provider and signing secret of a channel',
    description:
      'Needed before the provider can post delivery reports and messages of borrowers. `channel` is email or sms. The previous secret stays valid until the next change.',
    action: 'edit',
    resource: 'communication-providers',
    transaction: 'write',
    status: 200,
    needs_proof: true,
    body: z.object({
      name: requiredText.describe(
        'The provider: twilio, sendgrid, mailgun, postmark or ses. Any other name uses the generic format.',
      ),
      account_id: text
        .nullish()
        .describe("The provider's id of your account, if its signatures contain one."),
      secret: z
        .string()
        .min(16)
        .max(256)
        .describe(
          'The secret with which the provider signs its callbacks. Stored sealed and never returned.',
        ),
    }),
    example: () => ({ name: 'twilio', secret: 'the-auth-token-of-your-account' }),
    reply: z.object({ channel, name: requiredText.describe('The provider of the channel.') }),
    run: async ({ work, params, body }) => {
      const named = channel.safeParse(params['channel']);
      if (!named.success) throw new HttpRefusal(404, 'not_found', 'Not found.');
      const given = body as { name: string; account_id?: string | null; secret: string };
      await setProvider(work, named.data, given);
      return { channel: named.data, name: given.name };
    },
  },
];

import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import * as outbound from '../../sql/communications/outbound.ts';
import { uuid } from '../../sql/types.ts';
import * as accounts from '../../sql/users/accounts.ts';
import * as providers from '../../sql/users/identity-providers.ts';
import * as subscriptions from '../../sql/webhooks/subscriptions.ts';
import { insert, update } from '../../sql/write.ts';
import { ACCOUNT_MESSAGES, accountMessage } from '../../templates/account-messages.ts';
import { renderEmail } from '../../templates/email.ts';
import { matchLanguage } from '../../templates/portal/words.ts';
import { documentLocale } from '../../templates/render-document.ts';
import { renderMessage } from '../../templates/render-message.ts';
import { enqueue, job } from '../job.ts';
import type { Mail } from '../external-systems.ts';
import type { Work } from '../work.ts';
import { tenantOrigin } from './settings/tenant-origin.ts';
import { settingsOf } from './settings/settings.ts';

/** How long each kind of link is valid. */
const LIFE: Partial<
  Record<Payload['message'], { purpose: accounts.TokenPurpose; minutes: number }>
> = {
  password_reset: { purpose: 'password_reset', minutes: 60 },
  invitation: { purpose: 'invitation', minutes: 7 * 24 * 60 },
};

/** Seconds before each retry after a temporary failure of the mail server. */
const RETRY_DELAYS = [60, 300, 1800] as const;

const Payload = z.object({
  tenant_id: uuid,
  user_id: uuid.nullable(),
  message: z.enum(ACCOUNT_MESSAGES),
  /** The webhook subscription that the message is about, if any. */
  about: uuid.optional(),
  /** The identity provider that the message is about, if any. */
  provider_id: uuid.optional(),
  attempt: z.int().min(1),
});
type Payload = z.output<typeof Payload>;

export const hashToken = (token: string) => createHash('sha256').update(token).digest('hex');

/**
 * Emails a user about their account. A link's token is created here and exists only in the email: the
 * database stores its hash, the communication log no body, and the queue only ids. A repeat creates a new
 * link and invalidates the previous one.
 */
export const sendAccountMessage = job({
  name: 'send-account-message',
  pool: 'outbound',
  egress: {
    to: 'a user, at their own address',
    controls: {
      tenancy: 'row-level security',
      sealing: 'links work once; only their hash is kept',
    },
  },
  payload: Payload,
  attempts: 5,

  async run(payload, outside) {
    const { tenant_id, attempt } = payload;
    const letter = await outside.within(tenant_id, (work) => composeMessage(work, payload));
    if (letter === null) return; // no such user, or nothing left to report

    const answer = await outside.mail(letter);

    await outside.within(tenant_id, async ({ tx }) => {
      const delay = RETRY_DELAYS[attempt - 1];
      const isLater = !answer.ok && answer.temporary && delay !== undefined;
      await update(tx, 'communication_logs', letter.message_id, {
        status: answer.ok ? 'sent' : 'failed',
        provider: answer.provider,
        ...(answer.ok
          ? {
              provider_message_id: answer.provider_message_id,
              sent_at: outside.now().toISOString(),
            }
          : {
              error_code: answer.error_code,
              error_message: answer.error_message,
              failed_at: outside.now().toISOString(),
            }),
      });
      if (!isLater) return;
      const at = new Date(outside.now().getTime() + delay * 1000);
      await enqueue(tx, sendAccountMessage, { ...payload, attempt: attempt + 1 }, at);
    });
  },

  failed: async ({ tx }, { user_id, message }, reason) => {
    if (user_id !== null) await outbound.abandonAccountMessages(tx, user_id, message, reason);
  },
});

/** Borrowers choose their password in the portal, staff in the staff pages. */
const pageOf = ({ borrower_id }: { borrower_id: string | null }) =>
  borrower_id === null ? '/staff/choose-password' : '/portal/choose-password';

async function composeMessage(
  work: Work,
  { user_id, message, about, provider_id }: Payload,
): Promise<Mail | null> {
  const { tx, installation } = work;
  const user = user_id === null ? null : await accounts.findActiveUser(tx, user_id);
  const webhook = about === undefined ? undefined : await subscriptions.findDisabled(tx, about);
  const provider =
    provider_id === undefined ? undefined : await providers.findName(tx, provider_id);
  if (user === null || webhook === null || provider === null) return null;
  const tenant = await accounts.findSender(tx);
  const { branding, auth, communications } = await settingsOf(tx);
  const [domain = 'localhost'] = tenant.domains;
  const origin = tenantOrigin({ ...tenant, auth }, installation);
  const life = LIFE[message];
  const token = randomBytes(32).toString('base64url');
  const expires_at =
    life && (await accounts.issueToken(tx, { hash: hashToken(token), user_id: user.id, ...life }));
  const name = `${user.first_name} ${user.last_name}`;
  const language = matchLanguage([user.language ?? '']) ?? 'en';
  const { subject, body } = renderMessage(
    { channel: 'email', ...accountMessage(message, language) },
    {
      locale: documentLocale(language, tenant.locale),
      currency: tenant.currency,
      time_zone: tenant.time_zone,
      borrower: { name, email: user.email },
      tenant: { name: tenant.name, ...branding },
      // Only the host is shown, because the path of a webhook URL may contain a secret.
      ...(webhook && {
        context: { webhook_id: about, host: new URL(webhook.url).host, reason: webhook.last_error },
      }),
      ...(provider && { context: { provider } }),
      ...(life && { link: { url: `${origin}${pageOf(user)}?token=${token}`, expires_at } }),
    },
  );
  const address_lines = [branding.address_line_1, branding.address_line_2].filter(Boolean);
  const message_id = await insert(tx, 'communication_logs', {
    template_type: message,
    borrower_id: user.borrower_id,
    channel: 'email',
    recipient: user.email,
    subject,
    status: 'queued',
    triggered_by: 'system',
    queued_at: new Date().toISOString(),
  });
  const from = communications.from_email || `no-reply@${domain}`;
  return {
    from: { name: tenant.name, address: from },
    to: { name, address: user.email },
    subject: subject ?? '',
    html: renderEmail({
      language,
      subject: subject ?? '',
      body,
      tenant: { name: tenant.name, branding, address_lines },
    }),
    message_id,
  };
}

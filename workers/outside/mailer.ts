import { createTransport } from 'nodemailer';
import type { Mail, MailAddress, SendResult } from '../../jobs/external-systems.ts';
import { oneLine } from '../../templates/clean-data.ts';
import { writeOutbox } from './outbox.ts';
import { plainText } from './plain-text.ts';

export type MailerOptions = {
  /** smtp:// or smtps://, with user and password if the server requires them. */
  smtpUrl?: string | undefined;
  /** Without a server, each mail is written to this folder as an .eml file. */
  outbox: string;
};
export type Mailer = { mail(letter: Mail): Promise<SendResult>; close(): void };

const TIMEOUT_MS = 30_000;
const SUBJECT_CHARACTERS_MAX = 300;
const ADDRESS = /^[^\s<>()[\]\\,;:@"\p{Cc}]{1,64}@[^\s<>()[\]\\,;:@"\p{Cc}]{1,253}$/u;

/**
 * Sends mail to the SMTP server, or writes it to the outbox folder if there is no server.
 *
 * The caller provides the Message-ID. If a mail is sent again because the answer was lost, the recipient's
 * system recognizes it. A refusal by the server is a result, not an exception.
 */
export function openMailer({ smtpUrl, outbox }: MailerOptions): Mailer {
  return smtpUrl ? smtpMailer(smtpUrl) : outboxMailer(outbox);
}

function smtpMailer(url: string): Mailer {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: 5,
    maxMessages: 500,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    dnsTimeout: 5_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async mail(letter) {
      const message = messageOf(letter);
      if (typeof message === 'string') return permanentRefusal('smtp', message);
      try {
        await withDeadline(transport.sendMail(message), letter.timeout_ms ?? TIMEOUT_MS);
        return { ok: true, provider: 'smtp', provider_message_id: message.messageId };
      } catch (error) {
        return failureOf(error);
      }
    },
    close: () => transport.close(),
  };
}

function outboxMailer(folder: string): Mailer {
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async mail(letter) {
      const message = messageOf(letter);
      if (typeof message === 'string') return permanentRefusal('outbox', message);
      const { message: bytes } = await transport.sendMail(message);
      if (!Buffer.isBuffer(bytes)) throw new Error('The letter was not built as a whole.');
      await writeOutbox(folder, `${letter.message_id}.eml`, bytes);
      return { ok: true, provider: 'outbox', provider_message_id: message.messageId };
    },
    close: () => transport.close(),
  };
}

/** Builds the transport's message, or returns a sentence that says why the mail cannot be sent. */
function messageOf(letter: Mail) {
  const { from, to, reply_to, subject, html, text, message_id, attachments = [] } = letter;
  const { unsubscribe } = letter;
  const addresses = [from, to, ...(reply_to ? [reply_to] : [])];
  const wrong = addresses.find(({ address }) => !ADDRESS.test(address));
  if (wrong) return 'The address is not one that mail can be sent to.';
  if (!/^[A-Za-z0-9._-]{1,120}$/.test(message_id)) return 'The id of the letter is not allowed.';
  const domain = from.address.slice(from.address.indexOf('@') + 1);
  return {
    messageId: `<${message_id}@${domain}>`,
    from: sender(from),
    to: sender(to),
    ...(reply_to && { replyTo: sender(reply_to) }),
    subject: oneLine(subject).slice(0, SUBJECT_CHARACTERS_MAX),
    html,
    text: text ?? plainText(html),
    // Suppresses out-of-office replies (RFC 3834).
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...trackingHeaders(message_id),
      ...(unsubscribe && unsubscribeHeaders(unsubscribe)),
    },
    attachments: attachments.map(({ filename, content_type, bytes }) => ({
      filename: oneLine(filename),
      contentType: content_type,
      content: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    })),
  };
}

/**
 * Our message id in the headers of SendGrid, Postmark and Amazon SES. Their callbacks return it; their own
 * ids are unknown to us. Other servers ignore these headers.
 */
const trackingHeaders = (id: string) => ({
  'X-SMTPAPI': JSON.stringify({ unique_args: { message: id } }),
  'X-PM-Metadata-message': id,
  'X-SES-MESSAGE-TAGS': `message=${id}`,
});

/** Mail programs show an unsubscribe button. It works without a further question (RFC 2369, RFC 8058). */
function unsubscribeHeaders({ url, address }: NonNullable<Mail['unsubscribe']>) {
  const mailto = ADDRESS.test(address) ? `, <mailto:${address}?subject=unsubscribe>` : '';
  return {
    'List-Unsubscribe': { prepared: true, value: `<${url}>${mailto}` },
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
}

function sender({ name = '', address }: MailAddress) {
  return { name: oneLine(name), address };
}

/**
 * Classifies an SMTP error. A 5xx answer is permanent. Everything else is temporary: a 4xx answer, a lost
 * connection, or a refused login, which is a problem of our configuration.
 */
function failureOf(error: unknown): SendResult {
  const { code, responseCode, message } = describe(error);
  const isOurLogin = code === 'EAUTH' || responseCode === 530 || responseCode === 535;
  const isLastWord = responseCode !== undefined && responseCode >= 500 && !isOurLogin;
  const isOurEnvelope = responseCode === undefined && code === 'EENVELOPE';
  return {
    ok: false,
    provider: 'smtp',
    temporary: !isLastWord && !isOurEnvelope,
    error_code: String(responseCode ?? code),
    error_message: oneLine(message).slice(0, 500),
  };
}

function describe(error: unknown): { code: string; responseCode?: number; message: string } {
  if (!(error instanceof Error)) return { code: 'EUNKNOWN', message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'EUNKNOWN';
  const answer = 'responseCode' in error ? error.responseCode : undefined;
  return {
    code,
    message: error.message,
    ...(typeof answer === 'number' && answer > 0 && { responseCode: answer }),
  };
}

function permanentRefusal(provider: string, error_message: string): SendResult {
  return { ok: false, provider, temporary: false, error_code: 'EENVELOPE', error_message };
}

async function withDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const message = `The mail server did not answer within ${timeoutMs} ms.`;
    reject(Object.assign(new Error(message), { code: 'ETIMEDOUT' }));
  }, timeoutMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    // The deadline has passed, so a late error is ignored.
    work.catch(() => undefined);
  }
}

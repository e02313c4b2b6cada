import { OPTED_OUT_ERROR_CODE } from '../../jobs/communications/providers/twilio.ts';
import type { Sms, SendResult } from '../../jobs/external-systems.ts';
import { cleanText, oneLine } from '../../templates/clean-data.ts';
import { writeOutbox } from './outbox.ts';

export type SmsOptions = {
  twilio?: { accountSid: string; authToken: string; statusCallback?: string } | undefined;
  /**
   * Without a provider, each text is written to this folder as a .txt file. Without a folder either, it is
   * refused.
   */
  outbox?: string;
};
export type SmsSender = { sms(message: Sms): Promise<SendResult> };

const TIMEOUT_MS = 15_000;
const CHARACTERS_MAX = 1_600;
const E164 = /^\+[1-9]\d{6,14}$/;

const NOT_CONFIGURED: SendResult = {
  ok: false,
  provider: 'none',
  temporary: false,
  error_code: 'not_configured',
  error_message:
    'Text messages are not set up: set TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN for the workers.',
};

/**
 * Sends text messages through Twilio, or writes them to the outbox folder. The library takes a second to
 * load, so it is loaded with the first message.
 */
export function openSms({ twilio, outbox }: SmsOptions): SmsSender {
  const provider = twilio ? 'twilio' : 'outbox';
  return {
    async sms(message) {
      const body = cleanText(message.body).slice(0, CHARACTERS_MAX);
      if (!E164.test(message.to) || !/^[A-Za-z0-9._-]{1,120}$/.test(message.message_id)) {
        const error_message = 'The number is not one that a message can be sent to.';
        return { ok: false, provider, temporary: false, error_code: '21211', error_message };
      }
      if (twilio) return sendByTwilio(twilio, { ...message, body });
      if (outbox === undefined) return NOT_CONFIGURED;
      const text = `To: ${message.to}\r\nFrom: ${oneLine(message.from)}\r\n\r\n${body}\r\n`;
      await writeOutbox(outbox, `${message.message_id}.txt`, text);
      return { ok: true, provider, provider_message_id: message.message_id };
    },
  };
}

async function sendByTwilio(
  { accountSid, authToken, statusCallback }: NonNullable<SmsOptions['twilio']>,
  { from, to, body, timeout_ms = TIMEOUT_MS }: Sms,
): Promise<SendResult> {
  const { default: twilio } = await import('twilio');
  const client = twilio(accountSid, authToken, { timeout: timeout_ms, autoRetry: false });
  try {
    const { sid } = await client.messages.create({
      from,
      to,
      body,
      ...(statusCallback && { statusCallback }),
    });
    return { ok: true, provider: 'twilio', provider_message_id: sid };
  } catch (error) {
    return smsFailureAnswer(error);
  }
}

/**
 * Classifies a Twilio error. A 4xx answer is permanent, except for rate limits and a refused login. A 5xx
 * answer and a lost connection are temporary.
 */
export function smsFailureAnswer(error: unknown): SendResult {
  const read = (name: string) =>
    typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
  const [status, code] = [read('status'), read('code')];
  const isLastWord =
    typeof status === 'number' &&
    status >= 400 &&
    status < 500 &&
    ![401, 403, 429].includes(status);
  return {
    ok: false,
    provider: 'twilio',
    temporary: !isLastWord,
    is_opted_out: String(code) === OPTED_OUT_ERROR_CODE,
    error_code: String(code ?? status ?? 'EUNKNOWN'),
    error_message: oneLine(error instanceof Error ? error.message : String(error)).slice(0, 500),
  };
}

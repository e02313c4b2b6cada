import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { formOf, isSame, type Provider } from './callback.ts';

type Fields = Record<string, string>;

/** What Twilio puts in X-Twilio-Signature: over the address called and all fields of its form. */
export function twilioSignature(secret: string, url: string, fields: Fields): string {
  const names = Object.keys(fields).toSorted();
  const signed = url + names.map((name) => name + fields[name]).join('');
  return createHmac('sha1', secret).update(signed, 'utf8').digest('base64');
}

/** Twilio's form in our words: a message that came in, or a report about one that went out. */
const form = z
  .record(z.string(), z.string())
  .transform(({ MessageSid, SmsSid, MessageStatus, SmsStatus, From, To, Body, ErrorCode }) => {
    const id = MessageSid ?? SmsSid;
    return {
      from: From,
      to: To,
      body: Body,
      message_id: id,
      provider_message_id: id,
      status: MessageStatus ?? SmsStatus,
      error_code: ErrorCode,
    };
  });

export const twilio: Provider = {
  isFrom: ({ secret }, { raw, url, header }) =>
    isSame(header('X-Twilio-Signature'), twilioSignature(secret, url, formOf(raw))),
  reports: form,
  message: form,
};

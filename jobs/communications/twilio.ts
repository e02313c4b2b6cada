import { createHmac } from 'node:crypto';

type Fields = Record<string, string>;

/** What Twilio puts in X-Twilio-Signature: over the address called and all fields of its form. */
export function twilioSignature(secret: string, url: string, fields: Fields): string {
  const names = Object.keys(fields).toSorted();
  const signed = url + names.map((name) => name + fields[name]).join('');
  return createHmac('sha1', secret).update(signed, 'utf8').digest('base64');
}

/** Twilio's form in our words: a message that came in, or a report about one that went out. */
export function fromTwilio(fields: Fields): Record<string, unknown> {
  const { MessageSid, SmsSid, MessageStatus, SmsStatus, From, To, Body, ErrorCode } = fields;
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
}

import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { dictionary } from '../../../sql/dictionary.ts';
import type { KeywordKind } from '../inbound/keywords.ts';
import { parseForm, equalsInConstantTime, type Provider } from './callback.ts';

type Fields = Record<string, string>;

/**
 * Twilio's error for a number whose holder has opted out at Twilio. Twilio delivers no further messages to
 * it.
 */
export const OPTED_OUT_ERROR_CODE = '21610';

/** The keyword recognized by Twilio's Advanced Opt-Out. Twilio confirms STOP and START itself. */
const OPT_OUT_TYPES = dictionary<KeywordKind>({ STOP: 'stop', START: 'start', HELP: 'help' });

/** The X-Twilio-Signature header: an HMAC over the requested URL and all form fields. */
export function twilioSignature(secret: string, url: string, fields: Fields): string {
  const names = Object.keys(fields).toSorted();
  const signed = url + names.map((name) => name + fields[name]).join('');
  return createHmac('sha1', secret).update(signed, 'utf8').digest('base64');
}

/** Maps Twilio's form to our format, for inbound messages and for delivery reports. */
const form = z
  .record(z.string(), z.string())
  .transform(({ MessageSid, SmsSid, MessageStatus, SmsStatus, From, To, Body, ...fields }) => {
    const { ErrorCode, OptOutType } = fields;
    const id = MessageSid ?? SmsSid;
    return {
      from: From,
      to: To,
      body: Body,
      message_id: id,
      provider_message_id: id,
      status: MessageStatus ?? SmsStatus,
      error_code: ErrorCode,
      is_opted_out: ErrorCode === OPTED_OUT_ERROR_CODE,
      opt_out_type: OPT_OUT_TYPES[OptOutType?.toUpperCase() ?? ''],
    };
  });

export const twilio: Provider = {
  isFrom: ({ secret }, { raw, url, header }) =>
    equalsInConstantTime(
      header('X-Twilio-Signature'),
      twilioSignature(secret, url, parseForm(raw)),
    ),
  reports: form,
  message: form,
};

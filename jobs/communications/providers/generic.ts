import { createHmac } from 'node:crypto';
import { anyBody, isFresh, equalsInConstantTime, type Provider } from './callback.ts';

/**
 * A provider of whom nothing else is known: a signature over the raw bytes, dated where it can, or the
 * secret itself as a token; its words are ours.
 */
export const generic: Provider = {
  isFrom: ({ secret }, { raw, header, now }) => {
    const authorization = header('Authorization');
    if (authorization.startsWith('Bearer '))
      return equalsInConstantTime(authorization.slice(7), secret);
    const timestamp = header('X-Provider-Timestamp');
    if (timestamp !== '' && !isFresh(timestamp, now)) return false;
    const signed = timestamp === '' ? raw : `${timestamp}.${raw}`;
    const expected = `sha256=${createHmac('sha256', secret).update(signed).digest('hex')}`;
    return equalsInConstantTime(header('X-Provider-Signature'), expected);
  },
  reports: anyBody,
  message: anyBody,
};

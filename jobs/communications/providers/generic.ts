import { createHmac } from 'node:crypto';
import { anyBody, isFresh, equalsInConstantTime, type Provider } from './callback.ts';

/**
 * Any other provider. Authenticates with a signature over the raw body, optionally with a timestamp, or
 * with the secret as bearer token. Uses our own format.
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

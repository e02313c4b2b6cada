import { randomUUIDv7 } from 'node:crypto';

let millisecond = 0;
let count = 0;

/**
 * A version 7 UUID that sorts after all ids of this process, because a loan's events of one day are ordered
 * by id. Within a millisecond a counter orders the ids (RFC 9562, section 6.2, method 1), which Node's own
 * UUIDs do not. If the clock is set back, or a millisecond needs more than 4,096 ids, the following
 * milliseconds are used.
 */
export function newId(): string {
  const now = Date.now();
  count = now > millisecond ? 0 : count + 1;
  millisecond = Math.max(now, millisecond);
  if (count > 0xfff) [millisecond, count] = [millisecond + 1, 0];
  const time = millisecond.toString(16).padStart(12, '0');
  const place = count.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${place}${randomUUIDv7().slice(18)}`;
}

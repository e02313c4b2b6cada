import { randomUUIDv7 } from 'node:crypto';

let millisecond = 0;
let count = 0;

/**
 * A UUID of version 7 that sorts behind all that this process has made before: what happens to a loan on one
 * day is told in the order of its ids, and Node's own are in no order within a millisecond. They are counted
 * there (RFC 9562, section 6.2, method 1); a clock that is set back, or 4,096 ids in one, borrow from the next.
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

/** An id, a date, a number or a single word: all that a payload is made of. */
const PLAIN = /^[\w.:-]{1,64}$/;
const LONG_NUMBER = /\d{7,}/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * A payload as operations may see it. It is ids and dates by rule; whatever else got into one, by mistake
 * or by an older release, is not shown.
 */
export const redactPayload = (payload: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(payload)
      .filter(([name]) => PLAIN.test(name))
      .slice(0, 50)
      .map(([name, value]) => [name, plain(value)]),
  );

function plain(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  if (UUID.test(text)) return text;
  return PLAIN.test(text) && !LONG_NUMBER.test(text) ? text : '…';
}

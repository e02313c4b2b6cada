/** An id, a date, a number or a single word. Payloads contain nothing else. */
const PLAIN = /^[\w.:-]{1,64}$/;
const LONG_NUMBER = /\d{7,}/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Hides payload values that are not ids, dates or short words, in case a payload contains other data by
 * mistake.
 */
export const redactPayload = (payload: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(payload)
      .filter(([name]) => PLAIN.test(name))
      .slice(0, 50)
      .map(([name, value]) => [name, redactScalar(value)]),
  );

function redactScalar(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  if (UUID.test(text)) return text;
  return PLAIN.test(text) && !LONG_NUMBER.test(text) ? text : '…';
}

export type JsonSize = { values: number; depth: number };

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const COMMA = 0x2c;

/**
 * Counts the values and the depth of a JSON text in one pass without parsing it. Stops at the first value
 * or level above the maximum. Invalid JSON is counted in the same way.
 */
export function measureJson(bytes: Uint8Array, most: JsonSize): JsonSize {
  let values = 1;
  let depth = 0;
  let deepest = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const sign = bytes[at];
    if (isText) {
      if (sign === BACKSLASH) at += 1;
      else if (sign === QUOTE) isText = false;
    } else if (sign === QUOTE) {
      isText = true;
    } else if (sign === COMMA) {
      values += 1;
    } else if (sign === OPEN_ARRAY || sign === OPEN_OBJECT) {
      values += 1;
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (sign === CLOSE_ARRAY || sign === CLOSE_OBJECT) {
      depth -= 1;
    }
    if (values > most.values || deepest > most.depth) break;
  }
  return { values, depth: deepest };
}

import { brotliDecompressSync } from 'node:zlib';

/** The index of the tag `cmap` in WOFF2's list of known tags (W3C, "WOFF File Format 2.0", section 4.1). */
const CMAP = 0;
const OWN_TAG = 63;
const GLYF_AND_LOCA = new Set([10, 11]);
const HEADER_BYTES = 48;

/** Returns the code points that have a glyph in a WOFF2 file, according to the file's own character map. */
export function coveredCharacters(woff2: Buffer): Set<number> {
  const tables = woff2.readUInt16BE(12);
  const compressed = woff2.readUInt32BE(20);
  let at = HEADER_BYTES;
  let offset = 0;
  let found: { offset: number; length: number } | undefined;
  const readLength = () => {
    let value = 0;
    for (;;) {
      const byte = woff2.readUInt8(at++);
      value = value * 128 + (byte & 127);
      if (byte < 128) return value;
    }
  };
  for (let table = 0; table < tables; table += 1) {
    const flags = woff2.readUInt8(at++);
    const tag = flags & 63;
    if (tag === OWN_TAG) at += 4;
    let length = readLength();
    const transform = flags >> 6;
    if (GLYF_AND_LOCA.has(tag) ? transform !== 3 : transform !== 0) length = readLength();
    if (tag === CMAP) found = { offset, length };
    offset += length;
  }
  if (!found) throw new Error('The font file has no character map.');
  const data = brotliDecompressSync(woff2.subarray(at, at + compressed));
  return readCharacterMap(data.subarray(found.offset, found.offset + found.length));
}

/** Reads the subtables of formats 4 and 12 (OpenType, "cmap"). The other formats add no characters. */
function readCharacterMap(map: Buffer): Set<number> {
  const characters = new Set<number>();
  for (let table = 0; table < map.readUInt16BE(2); table += 1) {
    const subtable = map.subarray(map.readUInt32BE(4 + table * 8 + 4));
    const format = subtable.readUInt16BE(0);
    if (format === 4) addSegments(subtable, characters);
    if (format === 12) addGroups(subtable, characters);
  }
  return characters;
}

function addSegments(table: Buffer, characters: Set<number>) {
  const size = table.readUInt16BE(6);
  for (let segment = 0; segment < size; segment += 2) {
    const end = table.readUInt16BE(14 + segment);
    const start = table.readUInt16BE(16 + size + segment);
    const delta = table.readUInt16BE(16 + size * 2 + segment);
    const place = 16 + size * 3 + segment;
    const range = table.readUInt16BE(place);
    for (let code = start; code <= end && code < 0xffff; code += 1) {
      const raw = range === 0 ? code : table.readUInt16BE(place + range + (code - start) * 2);
      const isMissing = range !== 0 && raw === 0;
      if (!isMissing && ((raw + delta) & 0xffff) !== 0) characters.add(code);
    }
  }
}

function addGroups(table: Buffer, characters: Set<number>) {
  for (let group = 0; group < table.readUInt32BE(12); group += 1) {
    const at = 16 + group * 12;
    const end = table.readUInt32BE(at + 4);
    for (let code = table.readUInt32BE(at); code <= end; code += 1) characters.add(code);
  }
}

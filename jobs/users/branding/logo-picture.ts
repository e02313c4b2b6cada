import { safeSvg } from '../../../templates/svg.ts';

/** The logo is embedded in each letter, so its size is limited. */
export const LOGO_BYTES_MAX = 500_000;
/** Pixels per side. Decoding takes 4 bytes of memory per pixel. */
const SIDE_MAX = 4_000;

type Size = { width: number; height: number };
type LogoCheck =
  | { content_type: string; width: number | null; height: number | null; bytes: Buffer }
  | { problem: string };

/**
 * Detects the image type from its bytes, regardless of the server's content type, and sanitizes SVG.
 * Returns a problem if the image cannot be used.
 */
export function validatePicture(bytes: Buffer): LogoCheck {
  if (bytes.length === 0) return { problem: 'The file is empty.' };
  const png = sizeOfPng(bytes);
  if (png) return checkSize('image/png', png, bytes);
  if (bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) {
    const jpeg = sizeOfJpeg(bytes);
    return jpeg ? checkSize('image/jpeg', jpeg, bytes) : { problem: 'The JPEG is damaged.' };
  }
  const text = bytes.toString('utf8');
  if (!/^\uFEFF?\s*(<\?xml|<!--|<!DOCTYPE svg|<svg)/i.test(text))
    return { problem: 'The file is not a PNG, JPEG or SVG image.' };
  const svg = safeSvg(text);
  if ('problem' in svg) return svg;
  const safe = Buffer.from(svg.text, 'utf8');
  // Escaping can make the sanitized SVG larger than the original.
  if (safe.length > LOGO_BYTES_MAX)
    return {
      problem: `The sanitized SVG exceeds ${LOGO_BYTES_MAX} bytes. Save it with less text, or as a PNG.`,
    };
  return { content_type: 'image/svg+xml', width: null, height: null, bytes: safe };
}

function checkSize(content_type: string, { width, height }: Size, bytes: Buffer): LogoCheck {
  if (width < 1 || height < 1 || width > SIDE_MAX || height > SIDE_MAX)
    return {
      problem: `The image is ${width} by ${height} pixels. The maximum is ${SIDE_MAX} per side.`,
    };
  return { content_type, width, height, bytes };
}

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** The IHDR chunk of a PNG contains its size (ISO/IEC 15948, 11.2.2). */
function sizeOfPng(bytes: Buffer): Size | null {
  const isPng = bytes.length >= 24 && bytes.subarray(0, 8).equals(PNG);
  if (!isPng || bytes.toString('latin1', 12, 16) !== 'IHDR') return null;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/**
 * The frame header of a JPEG contains its size (ISO/IEC 10918-1, B.2.2). Tables and comments precede it.
 */
function sizeOfJpeg(bytes: Buffer): Size | null {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

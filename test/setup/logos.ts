import { deflateSync } from 'node:zlib';

/** A complete PNG of one color, as small as its dimensions allow. */
export function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const chunk = (name: string, data: Buffer) => {
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length);
    frame.write(name, 4, 'latin1');
    return Buffer.concat([frame, data, Buffer.alloc(4)]);
  };
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync('x'))]);
}

/** The start of a JPEG: an application segment and the frame header with the dimensions. */
export const jpeg = (width: number, height: number) =>
  Buffer.from([
    255,
    216,
    255,
    224,
    0,
    4,
    0,
    0,
    255,
    192,
    0,
    11,
    8,
    height >> 8,
    height & 255,
    width >> 8,
    width & 255,
    1,
    1,
    17,
    0,
  ]);

export const svg = (inner: string, more = '') =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"${more}>${inner}</svg>`);
export const LONG_CLIP_PATH = `<clipPath id="a">${'<rect width="9" height="9"/>'.repeat(100)}</clipPath>`;
export const SVG_SHAPE = '<path d="M0 0h10v10z" fill="#a00"/>';

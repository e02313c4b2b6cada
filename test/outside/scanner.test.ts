import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openScanner } from '../../workers/outside/scanner.ts';

const EICAR = 'X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*';

type Heard = { command: string; bytes: Buffer; isWhole: boolean };

/** The bytes of an INSTREAM request received so far: its command and its joined chunks. */
function heardIn(received: Buffer): Heard {
  const end = received.indexOf(0) + 1;
  const pieces: Buffer[] = [];
  let at = end;
  while (at + 4 <= received.length) {
    const length = received.readUInt32BE(at);
    const piece = received.subarray(at + 4, at + 4 + length);
    if (length === 0 || piece.length < length) break;
    pieces.push(piece);
    at += 4 + length;
  }
  const isWhole = at + 4 === received.length && received.readUInt32BE(at) === 0;
  return { command: received.toString('latin1', 0, end), bytes: Buffer.concat(pieces), isWhole };
}

/** A scanner on this machine that speaks clamd's protocol and reacts as the test specifies. */
async function scanner(answer: (heard: Heard, socket: Socket) => void, patience_ms = 5_000) {
  const server = createServer((socket) => {
    let received = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (piece: Buffer) => {
      received = Buffer.concat([received, piece]);
      answer(heardIn(received), socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return openScanner({ host: '127.0.0.1', port, patience_ms });
}

async function* pieces(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

test('a file is clean or infected according to all of its chunks together', async () => {
  const heard: Heard[] = [];
  const scan = await scanner((now, socket) => {
    if (!now.isWhole) return;
    heard.push(now);
    const isBad = now.bytes.includes('EICAR-STANDARD-ANTIVIRUS-TEST-FILE');
    socket.end(`stream: ${isBad ? 'Eicar-Signature FOUND' : 'OK'}\0`);
  });

  const clean = await scan(pieces('%PDF', '', '-1.7'));
  const bad = await scan(pieces(EICAR.slice(0, 40), EICAR.slice(40)));

  expect([clean, bad]).toEqual([{ found: null }, { found: 'Eicar-Signature' }]);
  expect(heard.map(({ command }) => command)).toEqual(['zINSTREAM\0', 'zINSTREAM\0']);
  expect(heard[0]?.bytes.toString()).toBe('%PDF-1.7');
});

test('a scanner that refuses the size or gives an unknown answer has not cleared the file', async () => {
  const tooLarge = await scanner((_heard, socket) =>
    socket.end('INSTREAM size limit exceeded. ERROR\0'),
  );
  const odd = await scanner(({ isWhole }, socket) => void (isWhole && socket.end('PONG\0')));
  const large = Array.from({ length: 100 }, () => 'x'.repeat(65_536));

  await expect(tooLarge(pieces(...large))).rejects.toThrow('size limit exceeded');
  await expect(odd(pieces('a'))).rejects.toThrow('gives no verdict');
});

test('a scanner that disconnects, is silent or is missing gives no verdict', async () => {
  const cut = await scanner(({ bytes }, socket) => void (bytes.length > 0 && socket.destroy()));
  const silent = await scanner(() => {}, 100);
  const nobody = openScanner({ host: '127.0.0.1', port: 1 });

  await expect(cut(pieces('a', 'b'))).rejects.toThrow();
  await expect(silent(pieces('a'))).rejects.toThrow('The virus scanner was silent for 0.1 s.');
  await expect(nobody(pieces('a'))).rejects.toThrow('ECONNREFUSED');
});

test('a file that cannot be read to its end has no verdict', async () => {
  const scan = await scanner(({ isWhole }, socket) => void (isWhole && socket.end('stream: OK\0')));
  async function* broken() {
    yield Buffer.from('a');
    throw new Error('The disk is away.');
  }

  await expect(scan(broken())).rejects.toThrow('The disk is away.');
});

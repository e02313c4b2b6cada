import { connect } from 'node:net';

/**
 * Writes exactly these bytes to the port and returns everything received until the server closes or falls
 * silent. For requests that no well-behaved client can make.
 */
export function sendRaw(port: number, bytes: string, patienceMs = 2_000): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(patienceMs, () => socket.destroy());
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
  });
}

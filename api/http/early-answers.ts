import type { IncomingMessage, Server } from 'node:http';
import { Socket } from 'node:net';

/** How long a refused client may pause while it sends the rest of its body, and how long it may send. */
const PAUSE_MS = 2_000;
const SENDING_MS = 30_000;

/**
 * Discards the rest of a body that was answered before it arrived, such as that of a file that is too large. Closing a
 * socket with unread bytes resets the connection, and a client that reads only after it has sent would lose the answer.
 */
export function discardAnsweredBodies(server: Server): Server {
  server.prependListener('request', (request: IncomingMessage) => {
    const { socket } = request;
    const close = () => Socket.prototype.destroySoon.call(socket);
    // node:http calls this after an answer that closes the connection.
    socket.destroySoon = () => {
      if (request.complete || socket.destroyed) return close();
      socket.end();
      const pause = setTimeout(() => socket.destroy(), PAUSE_MS);
      const sending = setTimeout(() => socket.destroy(), SENDING_MS);
      request.on('data', () => pause.refresh());
      request.once('end', close);
      socket.once('close', () => {
        clearTimeout(pause);
        clearTimeout(sending);
      });
      request.resume();
    };
  });
  return server;
}

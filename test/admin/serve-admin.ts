import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

const DIST = new URL('dist/', import.meta.url);

/** Serves the built example admin and passes /api to the API, so that both have one origin. Returns its port. */
export async function serveAdmin(apiPort: number) {
  const server = http.createServer((request, response) => {
    const { url = '/', method, headers } = request;
    if (!url.startsWith('/api/')) return void sendFile(url, response);
    const passed = http.request({ port: apiPort, path: url, method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => server.close() };
}

async function sendFile(url: string, response: http.ServerResponse) {
  const isScript = /^\/assets\/[\w-]+\.js$/.test(url);
  const file = isScript ? url.slice(1) : 'index.html';
  const type = isScript ? 'text/javascript' : 'text/html';
  response.writeHead(200, { 'Content-Type': type }).end(await readFile(new URL(file, DIST)));
}

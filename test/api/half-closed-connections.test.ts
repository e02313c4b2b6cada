import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { clientHeaders, requestHead } from '../setup/slow-clients.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const { host, officer } = await stage.tenant();

/** Sends the bytes, ends its own side of the connection, and returns what comes until the server ends too. */
function sendAndEnd(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ port: stage.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('data', (piece) => {
      answer += piece.toString('latin1');
    });
    socket.on('error', reject);
    socket.on('end', () => resolve(answer));
    socket.end(bytes);
  });
}

const post = (last_name: string) => {
  const body = JSON.stringify({ first_name: 'Half', last_name });
  const headers = clientHeaders(officer.cookies);
  return requestHead({ target: '/api/v1/borrowers', host, headers }, body.length) + body;
};

test('a client that ends its side after its request gets the answer, and the connection ends', async () => {
  const answer = await sendAndEnd(post('Closed'));

  expect(answer).toMatch(/^HTTP\/1\.1 201 /);
  expect(answer).toContain('"last_name":"Closed"');
});

test('a client that ends its side after several requests gets all answers', async () => {
  const answer = await sendAndEnd(post('One') + post('Two') + post('Three'));

  expect(answer.match(/HTTP\/1\.1 201 /g)).toHaveLength(3);
});

test('a client that ends its side in the middle of a request is refused', async () => {
  const answer = await sendAndEnd(post('Cut').slice(0, -3));
  const { body } = await officer.get('/borrowers?filter={"last_name":"Cut"}');

  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(body).toEqual([]);
});

test('a client that ends its side without a request leaves no connection', async () => {
  expect(await sendAndEnd('')).toBe('');
});

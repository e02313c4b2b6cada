import { expect, test } from 'vitest';
import { streamPage } from '../../api/pages/ops-stream.ts';
import { pageView } from '../../api/pages/page.ts';

const look = async () => pageView('overview');
/** Opens a stream and waits for its first message. */
async function begin(tenant: string) {
  const words = streamPage(tenant, look).stream(() => '');
  const stream = words[Symbol.asyncIterator]();
  await stream.next();
  return stream;
}

test('a tenant uses at most half of the event streams, and closed streams are freed', async () => {
  const streams = await Promise.all(Array.from({ length: 20 }, () => begin('one')));

  expect(() => streamPage('one', look)).toThrow('Too many people are watching');
  streams.push(await begin('other'));
  for (const stream of streams) await stream.return?.();
  expect(() => streamPage('one', look)).not.toThrow();
});

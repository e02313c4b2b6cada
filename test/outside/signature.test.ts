import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { signBody, verifySignature } from '../../jobs/webhooks/signature.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test('the signature of the published example is correct', () => {
  const body = bytes('{"a":1}');

  const signature = signBody('s3cr3t', body);

  expect(signature).toBe('sha256=d42927434049e0b8c73ce887062238cc1c6bb6644bfe66e66d8dd0f30b85679e');
});

test('a signature is valid only for its own bytes', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 16 }), fc.uint8Array(), fc.uint8Array(), (key, a, b) => {
      const signature = signBody(key, a);

      const same = Buffer.compare(a, b) === 0;

      expect(verifySignature(key, a, signature)).toBe(true);
      expect(verifySignature(key, b, signature)).toBe(same);
    }),
  );
});

test('a signature that is truncated, empty or not ASCII is refused without an error', () => {
  const body = bytes('{"a":1}');

  const answers = ['', 'sha256=', 'sha256=é', signBody('s3cr3t', body).slice(0, -1)].map(
    (signature) => verifySignature('s3cr3t', body, signature),
  );

  expect(answers).toEqual([false, false, false, false]);
});

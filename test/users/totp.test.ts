import { Secret } from 'otpauth';
import { expect, test } from 'vitest';
import { newTotpSecret, matchTotpStep, totpLabel } from '../../jobs/users/second-factors/totp.ts';

/** RFC 6238, Appendix B: the secret of each algorithm and its codes at each time. */
const SEEDS = { SHA1: 20, SHA256: 32, SHA512: 64 } as const;
const VECTORS: [number, Record<keyof typeof SEEDS, string>][] = [
  [59, { SHA1: '94287082', SHA256: '46119246', SHA512: '90693936' }],
  [1_111_111_109, { SHA1: '07081804', SHA256: '68084774', SHA512: '25091201' }],
  [1_111_111_111, { SHA1: '14050471', SHA256: '67062674', SHA512: '99943326' }],
  [1_234_567_890, { SHA1: '89005924', SHA256: '91819424', SHA512: '93441116' }],
  [2_000_000_000, { SHA1: '69279037', SHA256: '90698825', SHA512: '38618901' }],
  [20_000_000_000, { SHA1: '65353130', SHA256: '77737706', SHA512: '47863826' }],
];
const secretOf = (algorithm: keyof typeof SEEDS) =>
  Secret.fromLatin1('1234567890'.repeat(7).slice(0, SEEDS[algorithm])).base32;

test.each(VECTORS)('the code of second %d in the RFC is that of its step', (second, codes) => {
  for (const algorithm of ['SHA1', 'SHA256', 'SHA512'] as const) {
    const kind = { algorithm, digits: 8, period: 30 };
    const at = (ms: number) => matchTotpStep(secretOf(algorithm), codes[algorithm], ms, kind);

    expect(at(second * 1000)).toBe(Math.floor(second / 30));
    expect(at((second + 90) * 1000)).toBeNull();
  }
});

test('a code of six digits is valid in its own step and the ones before and after it', () => {
  const secret = secretOf('SHA1');
  const steps = [-60, -31, -30, 0, 29, 30, 59, 60].map((seconds) =>
    matchTotpStep(secret, '287082', (30 + seconds) * 1000),
  );

  expect(steps).toEqual([null, null, 1, 1, 1, 1, 1, null]);
});

test.each(['', '28708', '2870822', '28708a', ' 287082', '٢٨٧٠٨٢'])(
  '%j is not a code of any step',
  (code) => {
    expect(matchTotpStep(secretOf('SHA1'), code, 59_000)).toBeNull();
  },
);

test('each secret is new and has 160 bits, and an app shows whose it is', () => {
  const [secret, another] = [newTotpSecret(), newTotpSecret()];

  const { otpauth_url, qr_svg } = totpLabel({
    issuer: 'Ash & Oak: Loans',
    email: 'nora@demo.test',
    secret,
  });
  const url = new URL(otpauth_url);

  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(another).not.toBe(secret);
  expect([url.protocol, url.searchParams.get('secret')]).toEqual(['otpauth:', secret]);
  expect(decodeURIComponent(otpauth_url)).toContain('Ash & Oak');
  expect(qr_svg).toMatch(/^<svg /);
  expect(qr_svg).not.toMatch(/script|href|on\w+=/);
});

import { expect, test } from 'vitest';
import { decideNextAttempt } from '../../jobs/webhooks/retry-policy.ts';

const policy = { retry_delays: [10, 60, 300], max_retries: 3, disable_after: 5 };
const refused = { ok: false, status: 500 };

test.each([
  [1, 10],
  [2, 60],
  [3, 300],
])('attempt %i is followed by the next after %i seconds', (attempt, delay_seconds) => {
  expect(decideNextAttempt(refused, attempt, 4, policy)).toEqual({
    outcome: 'retry',
    delay_seconds,
  });
});

test('a receiver may ask for a longer pause but not a shorter one', () => {
  const asking = (retry_after_seconds: number) =>
    decideNextAttempt({ ...refused, retry_after_seconds }, 2, 0, policy);

  expect(asking(61)).toEqual({ outcome: 'retry', delay_seconds: 61 });
  expect(asking(1)).toEqual({ outcome: 'retry', delay_seconds: 60 });
});

test('the fourth refusal ends the delivery and keeps the subscription enabled', () => {
  expect(decideNextAttempt(refused, 4, 3, policy)).toEqual({
    outcome: 'dead',
    disable_reason: null,
  });
});

test('the fifth delivery in a row that fails for good disables the subscription', () => {
  const verdict = decideNextAttempt(
    { ok: false, error: 'The name does not resolve.' },
    4,
    4,
    policy,
  );

  expect(verdict).toEqual({
    outcome: 'dead',
    disable_reason: '5 consecutive deliveries failed. The name does not resolve.',
  });
});

test('a receiver that answers 410 is disabled immediately', () => {
  const verdict = decideNextAttempt({ ok: false, status: 410 }, 1, 0, policy);

  expect(verdict).toMatchObject({
    outcome: 'dead',
    disable_reason: expect.stringContaining('410'),
  });
});

test('only 2xx answers are a success', () => {
  expect(decideNextAttempt({ ok: true, status: 204 }, 1, 4, policy)).toEqual({
    outcome: 'delivered',
  });
  expect(decideNextAttempt({ ok: false, status: 301 }, 1, 0, policy)).toMatchObject({
    outcome: 'retry',
  });
});

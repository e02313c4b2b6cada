import { maskPersonalNumbers } from '../../sql/personal-numbers.ts';
import type { PostResponse } from '../external-systems.ts';
import { describeFailure } from './retry-policy.ts';

/** Of an answer that is no success all that was read is kept, which may be a page of error. */
const SUCCESS_CHARACTERS_MAX = 1_000;

/**
 * What goes to a receiver that takes longer (milliseconds) waits in a line, as for one that never answers. A
 * pause of the receiver, or a busy moment of ours, is shorter.
 */
export const SLOW_RECEIVER_MS = 5_000;

/**
 * What is kept of an answer, and shown to whoever looks for what went wrong. Receivers may send back what
 * they were sent, or anything else: secrets and personal numbers are taken out of it, and what would
 * do something to a screen.
 */
export function toResponseRecord(answer: PostResponse, secrets: readonly string[]) {
  const { ok, body, ms } = answer;
  return {
    response_status: answer.status ?? null,
    response_body:
      body === undefined
        ? null
        : harmless(ok ? body.slice(0, SUCCESS_CHARACTERS_MAX) : body, secrets),
    problem: ok ? null : describeFailure(answer),
    ms,
    is_slow: ms >= SLOW_RECEIVER_MS,
  };
}

/** Line breaks and tabs are all that a text needs of what is no sign; some turn the reading around. */
const CONTROLS = /(?![\n\r\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu;

const harmless = (text: string, secrets: readonly string[]) =>
  maskPersonalNumbers(
    secrets
      .reduce((left, secret) => left.replaceAll(secret, '[secret]'), text)
      .replace(CONTROLS, '\ufffd'),
  );

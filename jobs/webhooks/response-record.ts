import { maskPersonalNumbers } from '../../sql/personal-numbers.ts';
import type { PostResponse } from '../external-systems.ts';
import { describeFailure } from './retry-policy.ts';

/** Failed responses are kept completely, because they may be a long error page. */
const SUCCESS_CHARACTERS_MAX = 1_000;

/**
 * A receiver that takes longer (milliseconds) is throttled, like one that never answers. Short pauses of
 * receivers or of this process stay below it.
 */
export const SLOW_RECEIVER_MS = 5_000;

/**
 * The part of a response that is stored and shown to users. A receiver can return anything, including our
 * request, so secrets, personal numbers and control characters are removed.
 */
export function toResponseRecord(answer: PostResponse, secrets: readonly string[]) {
  const { ok, body, ms } = answer;
  return {
    response_status: answer.status ?? null,
    response_body:
      body === undefined
        ? null
        : sanitizeText(ok ? body.slice(0, SUCCESS_CHARACTERS_MAX) : body, secrets),
    problem: ok ? null : describeFailure(answer),
    ms,
    is_slow: ms >= SLOW_RECEIVER_MS,
  };
}

/** Control characters except line breaks and tabs, and characters that change the text direction. */
const CONTROLS = /(?![\n\r\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu;

const sanitizeText = (text: string, secrets: readonly string[]) =>
  maskPersonalNumbers(
    secrets
      .reduce((left, secret) => left.replaceAll(secret, '[secret]'), text)
      .replace(CONTROLS, '\ufffd'),
  );

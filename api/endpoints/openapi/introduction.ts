import { PROOF_MINUTES } from '../../../jobs/users/sign-in/recent-proof.ts';
import type { Json } from './schemas.ts';

export const INTRODUCTION: Json = {
  title: 'Loan servicing',
  version: '1',
  summary: 'Service loans from application to payoff.',
  description: [
    'Sign in with POST /api/v1/auth/login: the session lives in a cookie. Every request that changes something also sends the value of the csrftoken cookie in the header X-CSRFToken.',
    `A change that grants power answers 403 proof_required unless you signed in with your password, or called POST /api/v1/auth/prove, within the last ${PROOF_MINUTES} minutes.`,
    'Money and rates are decimal strings. Dates are days of the tenant’s calendar. Timestamps are UTC.',
    'A list answers one page of rows and names the total count in Content-Range.',
    'A refused request answers an Error. `code` names the reason for programs, `errors` has a message for each invalid field.',
    'Send an Idempotency-Key with a POST that must not take effect twice. Send the ETag of a record in If-Match to avoid overwriting the change of another user.',
    'Any request may be answered 408 or 429 when its client sends too slowly or too much at the same time, and 503 while the service is busy: send it again after the seconds in Retry-After.',
    '`x-derived-from` lists the fields from which a value is copied or calculated. A user who may not see one of them does not see the value either.',
  ].join('\n\n'),
  license: { name: 'MIT', identifier: 'MIT' },
};

export const SECURITY_SCHEMES: Json = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'sessionid',
    description:
      'The session that POST /api/v1/auth/login starts. Scripts cannot read this cookie; a client returns it by itself.',
  },
  csrf: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRFToken',
    description:
      'The value of the cookie csrftoken, which every answer sets. GET /api/v1/auth/csrf also answers it. Signing in changes it.',
  },
};

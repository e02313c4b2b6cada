import { proofRequired } from '../../../jobs/users/sign-in/recent-proof.ts';
import { NotFound } from '../../../jobs/errors.ts';
import { z } from 'zod';
import { serviceBusy } from '../../http/admission.ts';
import { tooManyBodies } from '../../http/bodies-in-flight.ts';
import { BODY_BYTES_MAX, notJson } from '../../http/bodies.ts';
import { csrfMissing } from '../../http/csrf.ts';
import {
  CONCURRENT_CHANGE,
  errorAnswer,
  invalidCredentials,
  invalidProviderSignature,
  notAuthenticated,
  RECORD_IN_USE,
  roleTooLow,
  sessionExpired,
  tenantClosed,
  validationAnswer,
} from '../../http/errors.ts';
import { formTooLarge, notForm } from '../../http/file-forms.ts';
import { inProgress, keyReused } from '../../http/idempotency.ts';
import { signInExpired } from '../../http/pending-sign-in.ts';
import { bodyTooLarge } from '../../http/receive.ts';
import { tooManyRequests } from '../../http/throttle.ts';
import { checkMatch, parseIfMatch } from '../../http/versions.ts';
import type { ListDeclaration } from '../list-declaration.ts';
import { parseList } from '../lists.ts';

/** Refusals that share an answer of the documentation. `retryAfter`: the answer has that header. */
export type RefusalResponse = { description: string; refusals: unknown[]; retryAfter?: true };

/** A list to provoke the refusals of all lists. */
const SAMPLE_LIST: ListDeclaration = {
  name: 'loans',
  fields: {},
  filters: ['status'],
  hasSearch: false,
  isArchivable: false,
};

/** The refusal that these steps end with. */
function refusalOf(steps: () => unknown): unknown {
  try {
    steps();
  } catch (error) {
    return error;
  }
  throw new Error('The example of a refusal was not refused.');
}

const malformedJson = () => errorAnswer(new SyntaxError('Not JSON.'));
const malformedQuery = () => refusalOf(() => parseList(SAMPLE_LIST, { filter: '{status' }));
const malformedHeader = () => refusalOf(() => parseIfMatch('x'));

/** The shared refusals. Their examples are the answers of the code that refuses. */
export const sharedRefusals = () =>
  ({
    MalformedBody: {
      description: 'The body is not valid JSON.',
      refusals: [malformedJson()],
    },
    MalformedQuery: {
      description: '`sort`, `range` or `filter` is not valid JSON.',
      refusals: [malformedQuery()],
    },
    MalformedHeader: {
      description: 'The If-Match header could not be read.',
      refusals: [malformedHeader()],
    },
    MalformedChange: {
      description: 'The body is not valid JSON, or the If-Match header could not be read.',
      refusals: [malformedJson(), malformedHeader()],
    },
    NotAuthenticated: {
      description: 'Not signed in, or the session has expired.',
      refusals: [notAuthenticated(), sessionExpired()],
    },
    SignInRefused: {
      description: 'The credentials are wrong, or the sign-in has expired.',
      refusals: [invalidCredentials(), signInExpired()],
    },
    ProviderRefused: {
      description: "The signature does not match the provider's secret.",
      refusals: [invalidProviderSignature()],
    },
    Forbidden: {
      description: 'The role does not allow this.',
      refusals: [roleTooLow('admin')],
    },
    ForbiddenChange: {
      description: 'The role does not allow this, or the CSRF token is missing or wrong.',
      refusals: [roleTooLow('admin'), csrfMissing()],
    },
    ForbiddenWithoutProof: {
      description:
        'The role does not allow this, the CSRF token is missing or wrong, or a recent proof is missing.',
      refusals: [roleTooLow('admin'), csrfMissing(), proofRequired()],
    },
    CsrfFailed: {
      description: 'The CSRF token is missing or wrong.',
      refusals: [csrfMissing()],
    },
    NotFound: {
      description: 'The record does not exist, or you may not see it.',
      refusals: [new NotFound()],
    },
    Conflict: {
      description:
        'The current state of the records does not allow this. `code` says why; `details` may name the current state and what is possible.',
      refusals: [CONCURRENT_CHANGE],
    },
    ConflictOrInUse: {
      description:
        'The current state of the record does not allow this, or other records refer to it. `code` says which.',
      refusals: [RECORD_IN_USE, CONCURRENT_CHANGE],
    },
    ConflictOrRepeat: {
      description:
        'The current state of the records does not allow this, or the Idempotency-Key is in use. `code` says which; `details` may name the current state and what is possible.',
      refusals: [CONCURRENT_CHANGE, keyReused(), inProgress()],
      retryAfter: true,
    },
    PreconditionFailed: {
      description: 'The record has changed since the version in If-Match. Nothing was changed.',
      refusals: [refusalOf(() => checkMatch(['"old"'], UNVERSIONED, {}, (row) => row))],
    },
    BodyTooLarge: {
      description: 'The body is larger than allowed, or has too many values.',
      refusals: [bodyTooLarge(BODY_BYTES_MAX)],
    },
    FileTooLarge: {
      description: 'The file or the other fields of the form are too large.',
      refusals: [formTooLarge()],
    },
    NotJson: {
      description: 'The body is not sent as application/json, or is compressed.',
      refusals: [notJson()],
    },
    NotForm: {
      description: 'The body is not sent as multipart/form-data.',
      refusals: [notForm()],
    },
    ValidationFailed: {
      description: 'Fields are missing or invalid. `errors` has a message for each.',
      refusals: [validationAnswer({ amount: 'Is required.' })],
    },
    InvalidQuery: {
      description: 'A parameter is unknown or invalid. `errors` has a message for each.',
      refusals: [refusalOf(() => parseList(SAMPLE_LIST, { filter: '{"colour":"red"}' }))],
    },
    TooManyRequests: {
      description: 'Too many requests. Send it again after the seconds in Retry-After.',
      refusals: [tooManyRequests(30), tooManyBodies()],
      retryAfter: true,
    },
    Unavailable: {
      description:
        'The service is busy or closed for a short time. Nothing was changed. Send the request again after the seconds in Retry-After.',
      refusals: [serviceBusy(), tenantClosed()],
      retryAfter: true,
    },
  }) satisfies Record<string, RefusalResponse>;

const UNVERSIONED = { reply: z.object({}), names: [] };

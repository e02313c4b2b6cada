import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  ConnectionError,
} from 'slonik';
import type { ZodError } from 'zod';
import { Conflict, Forbidden, Invalid, NotFound, KeyMissing } from '../../jobs/errors.ts';
import { StoreUnavailable } from '../../jobs/files/files.ts';
import { constraintOf, sqlStateOf } from '../../sql/database/db.ts';
import { TenantClosed } from '../../sql/database/within.ts';
import { isRole, type Allow } from './permissions.ts';

/** The format of every refusal. `request_id` is added when it is sent. */
export type ErrorAnswer = {
  status: number;
  body: {
    message: string;
    code: string;
    errors?: Record<string, string>;
    details?: Record<string, unknown> | undefined;
  };
  headers?: Record<string, string>;
};

/** A refusal that concerns HTTP rather than the loan business: method, media type, size or session. */
export class HttpRefusal extends Error {
  readonly answer: ErrorAnswer;
  /** The account concerned, for the security log. It is never sent to a client. */
  readonly user_id: string | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    more: Omit<Partial<ErrorAnswer>, 'status' | 'body'> & {
      details?: Record<string, unknown>;
      user_id?: string;
    } = {},
  ) {
    super(message);
    const { headers, details, user_id } = more;
    this.user_id = user_id;
    this.answer = {
      status,
      body: { message, code, ...(details && { details }) },
      ...(headers && { headers }),
    };
  }
}

/** In seconds. Moving a tenant takes minutes. */
const RETRY_AFTER_SECONDS = '60';

export const tenantClosed = () =>
  new HttpRefusal(
    503,
    'tenant_closed',
    'This service is temporarily closed while it is being moved. Your data is safe. Try again later.',
    { headers: { 'Retry-After': RETRY_AFTER_SECONDS } },
  );

export const notAuthenticated = () =>
  new HttpRefusal(401, 'not_authenticated', 'Sign in first, with POST /api/v1/auth/login.');

export const sessionExpired = () =>
  new HttpRefusal(401, 'session_expired', 'Your session has expired. Sign in again.');

export const invalidCredentials = () =>
  new HttpRefusal(401, 'invalid_credentials', 'The email address or password is wrong.');

/** Amazon sends its password only after a 401 with WWW-Authenticate. */
export const invalidProviderSignature = () =>
  new HttpRefusal(
    401,
    'invalid_provider_signature',
    "The signature does not match the provider's secret.",
    { headers: { 'WWW-Authenticate': 'Basic realm="callbacks"' } },
  );

export function roleTooLow(allow: Allow) {
  const needed = isRole(allow) ? ` It needs the role ${allow} or a permission.` : '';
  const details = { required_role: allow };
  return new Forbidden(`Your role does not allow this.${needed}`, 'permission_denied', details);
}

const UNAVAILABLE: ErrorAnswer = {
  status: 503,
  body: {
    message: 'The service is not available at the moment. Try again shortly.',
    code: 'unavailable',
  },
  headers: { 'Retry-After': '5' },
};

export const RECORD_IN_USE: ErrorAnswer = {
  status: 409,
  body: {
    message: 'Other records refer to this one. Remove or change them first.',
    code: 'in_use',
  },
};

/** Raised by a trigger that requests normally never reach (sql/schema/privacy.sql). */
const REDACTED: ErrorAnswer = {
  status: 409,
  body: {
    message: 'The borrower is redacted. Their records can no longer be changed.',
    code: 'redacted',
  },
};

export const CONCURRENT_CHANGE: ErrorAnswer = {
  status: 409,
  body: {
    message: 'Another request changed this first. Reload the record and try again.',
    code: 'conflict',
  },
};

/**
 * SQLSTATEs for check and exclusion violations, numbers and dates out of range, and texts too long to
 * index.
 */
const OUT_OF_RANGE_CODES = new Set(['23514', '23P01', '22003', '22008', '22001', '54000']);
/** SQLSTATEs for text that does not parse as its type or contains characters that Postgres cannot store. */
const UNREADABLE_CODES = new Set(['22P02', '22007', '22021', '22P05']);

/** Turns a thrown error into an answer. Null means a bug on our side, which the caller logs. */
export function errorAnswer(error: unknown, method = 'GET'): ErrorAnswer | null {
  if (error instanceof HttpRefusal) return error.answer;
  if (error instanceof Invalid) return validationAnswer(error.errors);
  if (error instanceof Conflict) return refusal(409, error);
  if (error instanceof NotFound) return refusal(404, error);
  if (error instanceof Forbidden) return refusal(403, error);
  if (error instanceof TenantClosed) return tenantClosed().answer;
  if (error instanceof StoreUnavailable || error instanceof KeyMissing) return UNAVAILABLE;
  return databaseAnswer(error, method) ?? parserAnswer(error);
}

const refusal = (
  status: number,
  { message, code, details }: Conflict | NotFound | Forbidden,
): ErrorAnswer => ({
  status,
  body: { message, code, ...(details && { details }) },
});

export const validationAnswer = (errors: Record<string, string>): ErrorAnswer => ({
  status: 422,
  body: { message: 'Validation failed.', code: 'validation_error', errors },
});

/** Returns the first message for each field. Nested paths are dotted: `lines.0.account_id`. */
export function fieldErrors({ issues }: Pick<ZodError, 'issues'>): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const issue of issues) {
    const field = issue.path.map(String).join('.') || 'body';
    errors[field] ??= issueMessage(issue);
  }
  return errors;
}

export const IS_REQUIRED = 'Is required.';
const CODES_OF_MISSING = new Set(['invalid_type', 'invalid_value', 'invalid_union']);

/** Requires issues that include their input. A missing value always gets the same sentence. */
function issueMessage({ code, input, message }: ZodError['issues'][number]): string {
  const isMissing = input === undefined || input === null;
  return isMissing && CODES_OF_MISSING.has(code) ? IS_REQUIRED : message;
}

/**
 * Derives the answer from the name of the violated constraint. A foreign key {table}_tenant_id_{field}_fkey
 * or a unique key {table}_tenant_id_{field}_key is reported for its field. A check that a client can
 * violate is a validation failure. Any other unique key means that a concurrent request came first.
 */
function databaseAnswer(error: unknown, method: string): ErrorAnswer | null {
  const state = sqlStateOf(error);
  if (state === undefined) return connectionAnswer(error);
  const constraint = constraintOf(error) ?? '';
  if (constraint === 'borrowers_redacted') return REDACTED;
  // The record cannot be deleted while others refer to it.
  if (state === '23001' || (state === '23503' && method === 'DELETE')) return RECORD_IN_USE;
  if (state === '23503') {
    return validationAnswer({
      [/_tenant_id_(.{1,63})_fkey$/.exec(constraint)?.[1] ?? 'id']: 'Does not exist.',
    });
  }
  if (state === '23505') {
    const field = /_tenant_id_(.{1,63})_key$/.exec(constraint)?.[1];
    return field === undefined
      ? CONCURRENT_CHANGE
      : validationAnswer({ [field]: 'Is already taken.' });
  }
  if (state === '23502') return validationAnswer({ [columnOf(error) ?? 'body']: 'Is required.' });
  if (OUT_OF_RANGE_CODES.has(state))
    return validationAnswer({ body: 'Contains a value that is out of range.' });
  if (UNREADABLE_CODES.has(state))
    return validationAnswer({ body: 'Contains a value that cannot be stored.' });
  const unavailable = /^(08|53|57P|25P03|57014|40001|40P01|55P03|25006)/;
  return unavailable.test(state) ? UNAVAILABLE : null;
}

function columnOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { column } = at as { column?: unknown };
    if (typeof column === 'string') return column;
  }
  return undefined;
}

/** The database is unavailable: it refused, reset or ended the connection. */
function connectionAnswer(error: unknown): ErrorAnswer | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (/ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT/.test(String(code))) return UNAVAILABLE;
    if (at instanceof ConnectionError || at instanceof BackendTerminatedError) return UNAVAILABLE;
    if (at instanceof BackendTerminatedUnexpectedlyError) return UNAVAILABLE;
    if (/^(Connection terminated|timeout exceeded|Client has encountered)/.test(at.message))
      return UNAVAILABLE;
  }
  return null;
}

/** Errors from decoding a path or parsing a body. */
function parserAnswer(error: unknown): ErrorAnswer | null {
  if (!(error instanceof Error)) return null;
  const { status } = error as { status?: unknown };
  if (status !== 400 && !(error instanceof SyntaxError)) return null;
  return {
    status: 400,
    body: {
      message: 'The body is not valid JSON. Check its quotation marks, commas and brackets.',
      code: 'malformed_json',
    },
  };
}

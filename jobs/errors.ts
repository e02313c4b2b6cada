import { z } from 'zod';
import { BUSINESS_DATE_MOVED } from '../sql/database/transaction-statements.ts';
import { validationMessage } from './validation-messages.ts';

// No message of a validator's own reaches a user.
z.config({ customError: validationMessage });

/**
 * Base class of expected errors. The message is a sentence for the user and the code is for programs;
 * neither may reveal internals. `api/http/errors.ts` turns each class into an HTTP response.
 */
class Refusal extends Error {
  readonly code: string;
  readonly details: Record<string, unknown> | undefined;

  constructor(message: string, code: string, details?: Record<string, unknown>) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** The request is valid, but the current state of the records does not allow it (409). */
export class Conflict extends Refusal {
  constructor(message: string, code = 'conflict', details?: Record<string, unknown>) {
    super(message, code, details);
  }
}

/** The tenant has no such record, or the user may not see it (404). */
export class NotFound extends Refusal {
  constructor(message = 'Not found. Either no such record exists, or you may not see it.') {
    super(message, 'not_found');
  }
}

/** The body or query is invalid (422). `errors` maps each field to a message. */
export class Invalid extends Refusal {
  readonly errors: Record<string, string>;

  constructor(errors: Record<string, string>) {
    super('Validation failed.', 'validation_error');
    this.errors = errors;
  }
}

/** The user does not have permission (403). */
export class Forbidden extends Refusal {
  constructor(message: string, code = 'permission_denied', details?: Record<string, unknown>) {
    super(message, code, details);
  }
}

/**
 * A sealed value cannot be opened with this process's SECRET (503): the key is missing, or a different key
 * has the same id. The message goes to the log; clients are asked to retry later.
 */
export class KeyMissing extends Error {
  constructor(keyId: string, options?: ErrorOptions) {
    super(
      `SECRET does not hold the key "${keyId}" that sealed this value. Add it to SECRET again, ` +
        'after the current key.',
      options,
    );
  }
}

/** The business date moved after the transaction began. The transaction is repeated on the new date. */
export class BusinessDateChanged extends Error {
  /**
   * The SQLSTATE that Postgres raises in the same case. Transactions with this code are repeated regardless
   * of how long they waited.
   */
  readonly code = BUSINESS_DATE_MOVED;

  constructor() {
    super('The business date moved while the transaction ran.');
  }
}

/**
 * One of the loan's reliefs ended on the previous day, and the close is about to end it. The transaction is
 * repeated afterwards.
 */
export class ReliefEnding extends Error {
  /** `lock_not_available`, as if the close already held the loan's lock. */
  readonly code = '55P03';

  constructor() {
    super('A relief of the loan is about to end.');
  }
}

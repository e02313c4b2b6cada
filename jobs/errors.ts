import { BUSINESS_DATE_MOVED } from '../sql/database/transaction-statements.ts';

/**
 * What an operation refuses with. The message is a sentence for the person who asked; the code is for
 * programs; neither says anything about the inside. `api/http/errors.ts` turns each into its answer.
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

/** The request is well formed, but the state of the records forbids it (409). */
export class Conflict extends Refusal {
  constructor(message: string, code = 'conflict', details?: Record<string, unknown>) {
    super(message, code, details);
  }
}

/** There is no such record for this tenant and this user (404). */
export class NotFound extends Refusal {
  constructor(message = 'Not found.') {
    super(message, 'not_found');
  }
}

/** The body or query is wrong in itself (422): each field with what is wrong about it. */
export class Invalid extends Refusal {
  readonly errors: Record<string, string>;

  constructor(errors: Record<string, string>) {
    super('Validation failed.', 'validation_error');
    this.errors = errors;
  }
}

/** The user may not do this (403). */
export class Forbidden extends Refusal {
  constructor(message: string, code = 'permission_denied', details?: Record<string, unknown>) {
    super(message, code, details);
  }
}

/**
 * What is sealed cannot be opened with the keys of this process (503): SECRET lacks the key, or has
 * another one under that id. The reason is for the log; a client is asked to come again.
 */
export class KeyMissing extends Error {
  constructor(keyId: string, options?: ErrorOptions) {
    super(
      `SECRET does not hold the key "${keyId}" under which this was sealed: put it back into SECRET, ` +
        'behind the current key.',
      options,
    );
  }
}

/** The business date has moved on since the transaction began: its steps are repeated, on the new day. */
export class BusinessDateChanged extends Error {
  /** As the database says it itself: the steps are repeated however long they have waited for it. */
  readonly code = BUSINESS_DATE_MOVED;

  constructor() {
    super('The business date moved on meanwhile.');
  }
}

/** A relief of the loan ended with the day before, and the close is about to end it: the steps are repeated after it. */
export class ReliefEnding extends Error {
  /** As if the close held the loan's lock already. */
  readonly code = '55P03';

  constructor() {
    super('A relief of the loan is just ending.');
  }
}

import { z } from 'zod';
import {
  addCoBorrower,
  changeCoBorrower,
  CoBorrowerRelease,
  RELEASE_REASONS,
  releaseCoBorrower,
  personReleased,
  alreadyLiable,
  loanIsOver,
} from '../../jobs/loans/servicing-actions/co-borrowers.ts';
import { CO_BORROWER_ROLES, coBorrowers as table } from '../../sql/loans/co-borrowers.ts';
import { date, timestamps, uuid } from '../../sql/types.ts';
import { action, resource } from '../endpoints/resource.ts';
import { EXAMPLE_ID } from '../endpoints/examples.ts';

export const coBorrowers = resource({
  name: 'CoBorrower',
  path: 'co-borrowers',
  about: 'A person who owes a loan together with its borrower.',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'update'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    borrower_id: uuid.describe("The co-borrower's own borrower record."),
    borrower_name: z.string().readonly().describe('First and last name.'),
    role: z
      .enum(CO_BORROWER_ROLES)
      .describe(
        '`co_borrower` shares the loan. `co_signer` and `guarantor` only answer for the debt, and must receive a notice before they sign, for which a task is created.',
      ),
    status: z.enum(['liable', 'released']).readonly().describe('Whether the person is liable.'),
    liable_from: date
      .optional()
      .describe(
        'The first day of liability. Must not be in the future. Default: the business date.',
      ),
    released_on: date
      .nullable()
      .readonly()
      .describe('The first day from which this person is no longer liable.'),
    release_reason: z
      .enum(RELEASE_REASONS)
      .nullable()
      .readonly()
      .describe('Why the person was released.'),
    release_notes: z.string().nullable().readonly().describe('Notes about the release.'),
    released_by: uuid.nullable().readonly().describe('The user who released the person.'),
    ...timestamps,
  },
  fixed: ['loan_id', 'borrower_id'],
  filters: ['loan_id', 'borrower_id', 'role', 'status', 'released_on'],

  conflicts: {
    create: () => [alreadyLiable(EXAMPLE_ID), loanIsOver({ status: 'paid_off', blockers: {} })],
    update: () => [personReleased()],
  },
  create: addCoBorrower,
  update: changeCoBorrower,
  actions: {
    release: action({
      allow: 'loan_officer',
      summary: 'Release a co-borrower',
      description:
        "Ends the liability. Also cancels this person's autopay plan and scheduled payments. Answers 409 `already_released` if the person is already released.",
      conflicts: () => [personReleased()],
      body: CoBorrowerRelease,
      run: releaseCoBorrower,
    }),
  },
});

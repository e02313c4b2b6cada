import { z } from 'zod';
import { lockBorrower } from '../../sql/borrowers/primary-contacts.ts';
import * as loans from '../../sql/loans/loans.ts';
import { cases, nextCaseNumber } from '../../sql/cases/cases.ts';
import { canSeeAllDocuments } from '../../sql/portal/documents.ts';
import * as stored from '../../sql/portal/hardship.ts';
import { money, uuid } from '../../sql/types.ts';
import { insert } from '../../sql/write.ts';
import { auditChange } from '../audit.ts';
import { openCase, nonBlankProse } from '../cases/cases.ts';
import { notifyBorrower } from '../cases/thread.ts';
import { addDays } from '../dates.ts';
import { Conflict, Invalid } from '../errors.ts';
import { refusalDetails } from '../loans/products/refusals.ts';
import { settingsOf } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';
import { assertIsBorrower } from './own-loans.ts';

export const HARDSHIP_TYPES = [
  ...(['job_loss', 'income_reduction', 'medical', 'disability', 'death_in_family'] as const),
  ...(['divorce', 'natural_disaster', 'military', 'business_failure', 'other'] as const),
] as const;
export const REQUESTED_ACTIONS = [
  ...(['forbearance', 'deferment', 'modification', 'payment_plan', 'due_date_change'] as const),
  ...(['settlement', 'other'] as const),
] as const;

/** The fields of an application. Its borrower follows from the loan. */
export const applicationFields = {
  loan_id: uuid.describe('The loan for which relief is needed.'),
  hardship_type: z.enum(HARDSHIP_TYPES).describe('Why the borrower cannot pay as agreed.'),
  description: nonBlankProse.describe(
    "The situation in the borrower's words, up to 10,000 characters. Becomes the description of the case.",
  ),
  monthly_income: money
    .nullish()
    .describe("The borrower's income per month, in the tenant's currency."),
  monthly_expenses: money
    .nullish()
    .describe("The borrower's expenses per month, in the tenant's currency."),
  requested_action: z
    .enum(REQUESTED_ACTIONS)
    .describe('The relief that the borrower asks for. Staff may grant another one.'),
  document_ids: z.array(uuid).max(20).default([]).describe('Documents that the borrower can see.'),
};
export const Application = z.object(applicationFields);
type Application = z.output<typeof Application>;

/** Statuses in which the loan still has a debt. */
const RELIEVED = ['active', 'charged_off'];

/** An application by a borrower or co-borrower of the loan. */
export async function applyForHardship(work: Work, borrowerId: string, input: Application) {
  await assertIsBorrower(work, borrowerId, input.loan_id);
  return apply(work, input, { borrower_id: borrowerId, source: 'portal' });
}

/** An application that staff record for the borrower. */
export const recordApplication = (work: Work, input: Application) =>
  apply(work, input, { source: 'agent' });

/**
 * Creates a hardship application. In one transaction, opens a case, pauses collection contacts for the
 * tenant's `portal.hardship_pause_days` and notifies the borrower. Throws Conflict if the loan has an open application.
 */
async function apply(
  work: Work,
  input: Application,
  { source, ...subject }: { source: 'portal' | 'agent'; borrower_id?: string },
): Promise<string> {
  const loan = await loans.lockLoan(work.tx, input.loan_id);
  if (loan === null) throw new Invalid({ loan_id: 'Does not exist.' });
  const { id: loan_id, status } = loan;
  const { borrower_id = loan.borrower_id } = subject;
  if (!(await canSeeAllDocuments(work.tx, borrower_id, input.document_ids)))
    throw new Invalid({ document_ids: 'Contains a document that the borrower cannot see.' });
  if (!RELIEVED.includes(status))
    throw new Conflict(`The loan is ${status.replaceAll('_', ' ')}.`, 'loan_not_active', {
      ...refusalDetails(loan),
    });
  if (await stored.hasOpenApplication(work.tx, loan_id)) throw applicationExists();
  await lockBorrower(work.tx, borrower_id);
  const number = await nextCaseNumber(work.tx, work.today.slice(0, 4));
  const application_number = `H-${number}`;
  const opened = await auditChange(work, cases, 'open', null, () =>
    openCase(work, number, {
      borrower_id,
      loan_id,
      source,
      case_type: 'hardship',
      is_visible_to_borrower: true,
      subject: `Hardship application ${application_number}`,
      description: input.description,
      priority: 'high',
    }),
  );
  const { hardship_pause_days: pause_days } = (await settingsOf(work.tx)).portal;
  const id = await insert(work.tx, 'hardship_applications', {
    ...input,
    application_number,
    borrower_id,
    loan_id,
    source,
    case_id: opened.id,
    contacts_paused_until: pause_days === 0 ? null : addDays(work.today, pause_days),
  });
  const { hardship_type: type } = input;
  const hardship = { number: application_number, type, date: work.today };
  await notifyBorrower(work, opened, 'hardship_received', { hardship });
  return id;
}

export const applicationExists = () =>
  new Conflict('This loan already has an open application.', 'already_exists');

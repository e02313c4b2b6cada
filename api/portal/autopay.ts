import { z } from 'zod';
import {
  getAutopay,
  cancelAutopay,
  enableAutopay,
  AutopaySwitch,
  enrollInAutopay,
  AutopayEnrollment,
  notEnrolled,
  notYourPlan,
  pausedByStaff,
} from '../../jobs/portal/autopay.ts';
import { flag } from '../../sql/types.ts';
import { autopayPlans } from '../borrowers/autopay-plans.ts';
import { consents } from '../borrowers/consents.ts';
import type { Call, Route } from '../endpoints/route.ts';
import { borrowerEndpoint } from './borrower-endpoint.ts';
import { borrowersOnly } from '../../jobs/portal/own-loans.ts';
import { planExists } from '../../jobs/payments/autopay/autopay-plan.ts';
import { instrumentNotUsable } from '../../jobs/borrowers/payment-instrument.ts';

const reply = z
  .object({
    is_enrolled: flag.describe('Whether the loan has an autopay plan of the borrower.'),
    is_enabled: flag.describe('Whether the plan draws payments now.'),
    plan: autopayPlans.reply.nullable().describe('The autopay plan. Null if there is none.'),
    authorization: consents.reply
      .pick({ granted_at: true, consent_text: true, status: true })
      .nullable()
      .describe('The authorization of the plan, for the person who enrolled.'),
  })
  .meta({ id: 'PortalAutopay' });

type LoanSteps = (work: Call['work'], borrowerId: string, loanId: string) => Promise<unknown>;
const forLoan =
  (steps: LoanSteps) =>
  ({ work, params }: Call, borrowerId: string) =>
    steps(work, borrowerId, params['id'] ?? '');

export const portalAutopay: Route[] = [
  borrowerEndpoint({
    method: 'GET',
    path: '/portal/loans/{id}/autopay',
    action: 'autopay',
    summary: 'Get the autopay enrollment of a loan',
    description: 'The plan itself is shown only to the person who enrolled.',
    reply,
    run: forLoan(getAutopay),
  }),
  borrowerEndpoint({
    method: 'POST',
    path: '/portal/loans/{id}/autopay/enroll',
    action: 'enroll',
    summary: 'Enroll a loan in autopay',
    description:
      'Draws the payments on their due dates from a verified bank account, and records the consent. A loan has one plan. Answers 409 if the loan is enrolled, the account is not verified, or the person is a co-signer or guarantor (`borrowers_only`).',
    conflicts: () => [
      planExists(),
      instrumentNotUsable({
        status: 'active',
        is_verified: false,
        draw_blockers: [],
        block_code: null,
      }),
      borrowersOnly('cosigner'),
    ],
    body: AutopayEnrollment,
    reply,
    run: ({ work, params, body }, borrowerId) =>
      enrollInAutopay(work, borrowerId, params['id'] ?? '', AutopayEnrollment.parse(body)),
  }),
  borrowerEndpoint({
    method: 'POST',
    path: '/portal/loans/{id}/autopay/cancel',
    action: 'cancel',
    summary: 'Cancel autopay',
    description:
      'No further payment is drawn, and the consent is revoked. Answers 409 `not_your_plan` if another person enrolled.',
    conflicts: () => [notYourPlan(), notEnrolled()],
    reply,
    run: forLoan(cancelAutopay),
  }),
  borrowerEndpoint({
    method: 'POST',
    path: '/portal/loans/{id}/autopay/enable',
    action: 'enable',
    summary: 'Pause or resume autopay',
    description:
      'Also resumes a plan that returned payments have paused. Answers 409 `autopay_paused` if staff have paused it.',
    conflicts: () => [pausedByStaff(), notYourPlan(), notEnrolled()],
    body: AutopaySwitch,
    reply,
    run: ({ work, params, body }, borrowerId) =>
      enableAutopay(work, borrowerId, params['id'] ?? '', AutopaySwitch.parse(body)),
  }),
];

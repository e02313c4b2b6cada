import { z } from 'zod';
import {
  getAutopay,
  cancelAutopay,
  enableAutopay,
  AutopaySwitch,
  enrollInAutopay,
  AutopayEnrollment,
} from '../../jobs/portal/autopay.ts';
import { flag } from '../../sql/types.ts';
import { autopayPlans } from '../borrowers/autopay-plans.ts';
import type { Call, Route } from '../endpoints/route.ts';
import { borrowerEndpoint } from './borrower-endpoint.ts';

const reply = z
  .object({ is_enrolled: flag, is_enabled: flag, plan: autopayPlans.reply.nullable() })
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
    reply,
    run: forLoan(getAutopay),
  }),
  borrowerEndpoint({
    method: 'POST',
    path: '/portal/loans/{id}/autopay/enroll',
    action: 'enroll',
    summary: 'Enroll a loan in autopay',
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
    reply,
    run: forLoan(cancelAutopay),
  }),
  borrowerEndpoint({
    method: 'POST',
    path: '/portal/loans/{id}/autopay/enable',
    action: 'enable',
    summary: 'Pause or resume autopay',
    body: AutopaySwitch,
    reply,
    run: ({ work, params, body }, borrowerId) =>
      enableAutopay(work, borrowerId, params['id'] ?? '', AutopaySwitch.parse(body)),
  }),
];

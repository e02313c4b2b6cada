import { z } from 'zod';
import {
  autopayOf,
  cancelAutopay,
  enableAutopay,
  Enabling,
  enroll,
  Enrolment,
} from '../../jobs/portal/autopay.ts';
import { flag } from '../../sql/types.ts';
import { autopayPlans } from '../borrowers/autopay-plans.ts';
import type { Call, Route } from '../endpoints/route.ts';
import { own } from './own.ts';

const reply = z
  .object({ is_enrolled: flag, is_enabled: flag, plan: autopayPlans.reply.nullable() })
  .meta({ id: 'PortalAutopay' });

type Steps = (work: Call['work'], borrowerId: string, loanId: string) => Promise<unknown>;
const ofLoan =
  (steps: Steps) =>
  ({ work, params }: Call, borrowerId: string) =>
    steps(work, borrowerId, params['id'] ?? '');

export const portalAutopay: Route[] = [
  own({
    method: 'GET',
    path: '/portal/loans/{id}/autopay',
    action: 'autopay',
    summary: 'Whether the loan is enrolled in autopay',
    reply,
    run: ofLoan(autopayOf),
  }),
  own({
    method: 'POST',
    path: '/portal/loans/{id}/autopay/enroll',
    action: 'enroll',
    summary: 'Have what is due drawn from a verified account',
    body: Enrolment,
    reply,
    run: ({ work, params, body }, borrowerId) =>
      enroll(work, borrowerId, params['id'] ?? '', Enrolment.parse(body)),
  }),
  own({
    method: 'POST',
    path: '/portal/loans/{id}/autopay/cancel',
    action: 'cancel',
    summary: 'End autopay',
    reply,
    run: ofLoan(cancelAutopay),
  }),
  own({
    method: 'POST',
    path: '/portal/loans/{id}/autopay/enable',
    action: 'enable',
    summary: 'Let autopay rest or go on',
    body: Enabling,
    reply,
    run: ({ work, params, body }, borrowerId) =>
      enableAutopay(work, borrowerId, params['id'] ?? '', Enabling.parse(body)),
  }),
];

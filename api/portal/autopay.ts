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
    summary: 'Get the autopay enrollment of a loan',
    reply,
    run: ofLoan(autopayOf),
  }),
  own({
    method: 'POST',
    path: '/portal/loans/{id}/autopay/enroll',
    action: 'enroll',
    summary: 'Enroll a loan in autopay',
    body: Enrolment,
    reply,
    run: ({ work, params, body }, borrowerId) =>
      enroll(work, borrowerId, params['id'] ?? '', Enrolment.parse(body)),
  }),
  own({
    method: 'POST',
    path: '/portal/loans/{id}/autopay/cancel',
    action: 'cancel',
    summary: 'Cancel autopay',
    reply,
    run: ofLoan(cancelAutopay),
  }),
  own({
    method: 'POST',
    path: '/portal/loans/{id}/autopay/enable',
    action: 'enable',
    summary: 'Pause or resume autopay',
    body: Enabling,
    reply,
    run: ({ work, params, body }, borrowerId) =>
      enableAutopay(work, borrowerId, params['id'] ?? '', Enabling.parse(body)),
  }),
];

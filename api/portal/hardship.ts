import type { z } from 'zod';
import { auditChange } from '../../jobs/audit.ts';
import { Application, applyForHardship, applicationExists } from '../../jobs/portal/hardship.ts';
import { applications, applicationsOfBorrower } from '../../sql/portal/hardship.ts';
import { fetchPage } from '../endpoints/record-operations.ts';
import { findOrThrow } from '../endpoints/resource.ts';
import type { Route } from '../endpoints/route.ts';
import { hardshipApplications } from './hardship-queue.ts';
import { borrowerEndpoint } from './borrower-endpoint.ts';
import { borrowersOnly } from '../../jobs/portal/own-loans.ts';

/** Omits fields that concern only the staff who decide. */
const portalApplication = hardshipApplications.reply
  .omit({
    borrower_id: true,
    borrower_name: true,
    assigned_to: true,
    source: true,
    decided_by: true,
    resulting_status: true,
    contacts_paused_until: true,
  })
  .meta({ id: 'PortalHardshipApplication' });

export const portalHardship: Route[] = [
  borrowerEndpoint({
    method: 'GET',
    path: '/portal/hardship',
    action: 'list-hardship',
    summary: "List the borrower's hardship applications",
    description: 'With their status and decision.',
    reply: portalApplication,
    list: {
      name: 'hardship',
      fields: portalApplication.shape,
      filters: ['loan_id', 'status', 'hardship_type'],
      hasSearch: false,
      isArchivable: false,
    },
    run: (call, borrowerId) => fetchPage(call, applicationsOfBorrower(borrowerId)),
  }),
  borrowerEndpoint({
    method: 'POST',
    path: '/portal/hardship',
    action: 'submit',
    summary: 'Submit a hardship application',
    description:
      'Asks for relief from payments. Opens a case, pauses collection contacts (`hardship_pause_days` of GET /portal/config) and confirms the receipt. Answers 409 if the loan has an open application, or if the person is a co-signer or guarantor (`borrowers_only`).',
    conflicts: () => [applicationExists(), borrowersOnly('cosigner')],
    status: 201,
    body: Application,
    reply: portalApplication,
    run: ({ work, body }, borrowerId) =>
      auditChange(work, applications, 'submit', null, () =>
        applyForHardship(work, borrowerId, body as z.output<typeof Application>),
      ),
  }),
  borrowerEndpoint({
    method: 'GET',
    path: '/portal/hardship/{id}',
    action: 'show-hardship',
    summary: 'Get a hardship application with its decision',
    description: 'Shows the reason of a denial and the relief that was granted.',
    reply: portalApplication,
    run: ({ work, params }, borrowerId) =>
      findOrThrow(work, applicationsOfBorrower(borrowerId), params['id']),
  }),
];

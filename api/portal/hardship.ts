import type { z } from 'zod';
import { audited } from '../../jobs/audit.ts';
import { Application, applyForOwn } from '../../jobs/portal/hardship.ts';
import { applications, applicationsOf } from '../../sql/portal/hardship.ts';
import { pageOf } from '../endpoints/records.ts';
import { existing } from '../endpoints/resource.ts';
import type { Route } from '../endpoints/route.ts';
import { hardshipApplications } from './hardship-queue.ts';
import { own } from './own.ts';

/** Without what concerns only those who decide about it. */
const shown = hardshipApplications.reply
  .omit({
    ...{ borrower_id: true, borrower_name: true, assigned_to: true, source: true },
    ...{ decided_by: true, resulting_status: true, contacts_paused_until: true },
  })
  .meta({ id: 'PortalHardshipApplication' });

export const portalHardship: Route[] = [
  own({
    method: 'GET',
    path: '/portal/hardship',
    action: 'list-hardship',
    summary: "List the borrower's hardship applications",
    reply: shown,
    list: {
      name: 'hardship',
      fields: shown.shape,
      filters: ['loan_id', 'status', 'hardship_type'],
      hasSearch: false,
      isArchivable: false,
    },
    run: (call, borrowerId) => pageOf(call, applicationsOf(borrowerId)),
  }),
  own({
    method: 'POST',
    path: '/portal/hardship',
    action: 'submit',
    summary: 'Submit a hardship application',
    status: 201,
    body: Application,
    reply: shown,
    run: ({ work, body }, borrowerId) =>
      audited(work, applications, 'submit', null, () =>
        applyForOwn(work, borrowerId, body as z.output<typeof Application>),
      ),
  }),
  own({
    method: 'GET',
    path: '/portal/hardship/{id}',
    action: 'show-hardship',
    summary: 'Get a hardship application with its decision',
    reply: shown,
    run: ({ work, params }, borrowerId) => existing(work, applicationsOf(borrowerId), params['id']),
  }),
];

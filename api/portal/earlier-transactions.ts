import { assertOwnLoan } from '../../jobs/portal/own-loans.ts';
import { earlierTransactions as table } from '../../sql/loans/boarding/earlier-transactions.ts';
import { fetchPage, filterByParent } from '../endpoints/record-operations.ts';
import type { Route } from '../endpoints/route.ts';
import { earlierTransactions } from '../loans/earlier-transactions.ts';
import { borrowerEndpoint } from './borrower-endpoint.ts';

/** Without the previous servicer's notes, which were written for staff. */
const portalTransaction = earlierTransactions.reply
  .omit({ description: true })
  .meta({ id: 'PortalEarlierTransaction' });

export const portalEarlierTransactions: Route = borrowerEndpoint({
  method: 'GET',
  path: '/portal/loans/{id}/earlier-transactions',
  action: 'list-earlier-transactions',
  summary: 'List what happened to a loan at its previous servicer',
  description:
    'As the previous servicer reported it, in the order of its dates. Empty for a loan that began here. Payments of a replayed history are in the list of payments.',
  reply: portalTransaction,
  list: {
    name: 'earlier-transactions',
    fields: portalTransaction.shape,
    filters: ['transaction_type', 'transaction_date', 'is_replayed'],
    hasSearch: false,
    isArchivable: false,
  },
  run: async (call, borrowerId) => {
    const { work, params, list } = call;
    const { id = '' } = params;
    await assertOwnLoan(work, borrowerId, id);
    return fetchPage({ ...call, list: filterByParent(list, 'loan_id', id) }, table);
  },
});

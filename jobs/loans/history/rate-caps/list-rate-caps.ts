import { listRows, type ListRequest } from '../../../../sql/list.ts';
import * as stored from '../../../../sql/loans/rate-caps.ts';
import type { Condition } from '../../../../sql/table.ts';
import type { Work } from '../../../work.ts';
import { readLoan } from '../open-loan.ts';

/** Lists a page of the loan's caps. */
export async function listRateCaps(work: Work, loanId: string, request: ListRequest) {
  await readLoan(work, loanId);
  const ofLoan: Condition = { field: 'loan_id', comparison: 'in', values: [loanId], type: 'uuid' };
  return listRows(work.tx, stored.rateCaps, {
    ...request,
    conditions: [...request.conditions, ofLoan],
  });
}

import type { Call, Route } from '../endpoints/route.ts';

type BorrowerRoute = Omit<
  Route,
  'tag' | 'allow' | 'resource' | 'status' | 'transaction' | 'run'
> & {
  status?: number;
  /** Set for a POST that changes nothing. */
  transaction?: 'read';
  run: (call: Call, borrowerId: string) => Promise<unknown>;
};

/**
 * Declares a portal endpoint for a signed-in borrower. Archived borrowers have no session. `run` receives
 * the borrower's id and must use only that.
 */
export const borrowerEndpoint = ({ run, ...declared }: BorrowerRoute): Route => ({
  tag: 'portal',
  resource: 'portal',
  allow: 'borrower',
  status: 200,
  transaction: declared.method === 'GET' ? 'read' : 'write',
  ...declared,
  run: (call: Call) => run(call, call.user?.borrower_id ?? ''),
});

import type { Call, Route } from '../endpoints/route.ts';

type Declared = Omit<Route, 'tag' | 'allow' | 'resource' | 'status' | 'transaction' | 'run'> & {
  status?: number;
  /** A POST that changes nothing. */
  transaction?: 'read';
  run: (call: Call, borrowerId: string) => Promise<unknown>;
};

/**
 * An endpoint of the portal, for a borrower who is signed in; whoever is archived has no session. What it
 * runs is told whose it is, and asks for nothing else.
 */
export const borrowerEndpoint = ({ run, ...declared }: Declared): Route => ({
  tag: 'portal',
  resource: 'portal',
  allow: 'borrower',
  status: 200,
  transaction: declared.method === 'GET' ? 'read' : 'write',
  ...declared,
  run: (call: Call) => run(call, call.user?.borrower_id ?? ''),
});

import { assertOpenTo } from '../../jobs/portal/own.ts';
import type { Call, Route } from '../endpoints/route.ts';

type Declared = Omit<Route, 'tag' | 'allow' | 'resource' | 'status' | 'transaction' | 'run'> & {
  status?: number;
  /** A POST that changes nothing. */
  transaction?: 'read';
  run: (call: Call, borrowerId: string) => Promise<unknown>;
};

/**
 * An endpoint of the portal: for a borrower who is signed in and not archived. What it runs is told
 * whose it is, and asks for nothing else.
 */
export const own = ({ run, ...declared }: Declared): Route => ({
  tag: 'portal',
  resource: 'portal',
  allow: 'borrower',
  status: 200,
  transaction: declared.method === 'GET' ? 'read' : 'write',
  ...declared,
  run: async (call: Call) => {
    const borrowerId = call.user?.borrower_id ?? '';
    await assertOpenTo(call.work, borrowerId);
    return run(call, borrowerId);
  },
});

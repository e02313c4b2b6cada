import type { z } from 'zod';
import { audited } from '../../jobs/audit.ts';
import { Approval, approve, objectionTo } from '../../jobs/loans/origination/approve.ts';
import { loans as table } from '../../sql/loans/loans.ts';
import type { Resource } from '../endpoints/declaration.ts';
import { locked } from '../endpoints/resource.ts';
import type { Route } from '../endpoints/route.ts';
import { HttpRefusal } from '../http/errors.ts';

/** An action like the others, but for its refusal: what the checks found is kept. */
export const approval = ({ reply, version }: Pick<Resource, 'reply' | 'version'>): Route => ({
  tag: 'loans',
  resource: 'loans',
  method: 'POST',
  path: '/loans/{id}/approve',
  allow: 'loan_officer',
  action: 'approve',
  status: 200,
  summary: 'Approve a pending loan',
  body: Approval,
  reply,
  transaction: 'write',
  etag: version,
  ifMatch: version,
  async run(call) {
    const { work, body } = call;
    const before = await locked(call, table);
    const refused = await objectionTo(work, before.id);
    if (refused !== null) {
      const { code, message, details = {} } = refused;
      return new HttpRefusal(409, code, message, { details });
    }
    const { notes } = body as z.output<typeof Approval>;
    const approved = async () => {
      await approve(work, before.id);
      return before.id;
    };
    return audited(work, table, 'approve', before, approved, notes ?? undefined);
  },
});

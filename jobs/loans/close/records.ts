import type { Chunk } from '../../../sql/loans/close.ts';
import { loansPlanned } from '../../../sql/loans/payment-plans.ts';
import { loansPromised } from '../../../sql/loans/promises-to-pay.ts';
import type { Transaction } from '../../../sql/db.ts';
import { loansToModify } from '../../../sql/loans/modifications.ts';
import { loansTurning } from '../../../sql/loans/reliefs.ts';
import type { Outside } from '../../outside.ts';
import type { Work } from '../../work.ts';
import { turnDeferments } from '../deferments.ts';
import { turnForbearances } from '../forbearances.ts';
import { applyDueModifications } from '../modifications.ts';
import { judgePlan } from '../payment-plans.ts';
import { judgePromises } from '../promises-to-pay.ts';
import { each, type Payload } from './few.ts';

/** What the close does for the records beneath loans: one line a step, in decisions 3.25's order. */
const step =
  (
    name: string,
    find: (tx: Transaction, chunk: Chunk) => Promise<readonly { id: string }[]>,
    act: (work: Work, loanId: string) => Promise<void>,
  ) =>
  async (outside: Outside, payload: Payload, chunk: Chunk) => {
    const due = await outside.within(payload.tenant_id, ({ tx }) => find(tx, chunk));
    const ids = due.map(({ id }) => id);
    await each(outside, payload, name, ids, act);
  };

const turnDueForbearances = step('forbearances', loansTurning('forbearances'), turnForbearances);
const turnDueDeferments = step('deferments', loansTurning('deferments'), turnDeferments);
const applyModifications = step('modifications', loansToModify, applyDueModifications);
const judgeDuePromises = step('promises', loansPromised, judgePromises);
const judgeDuePlans = step('payment_plans', loansPlanned, judgePlan);

/** What begins or ends on the day takes effect before its payments are made. */
export async function turnRecords(outside: Outside, payload: Payload, chunk: Chunk) {
  await turnDueForbearances(outside, payload, chunk);
  await turnDueDeferments(outside, payload, chunk);
  await applyModifications(outside, payload, chunk);
}

/** Promises and plans are judged when all the payments of the day are in. */
export async function judgeAgreements(outside: Outside, payload: Payload, chunk: Chunk) {
  await judgeDuePromises(outside, payload, chunk);
  await judgeDuePlans(outside, payload, chunk);
}

import { z } from 'zod';
import { auditChange, recordAudit } from '../../jobs/audit.ts';
import { Invalid } from '../../jobs/errors.ts';
import {
  ADVANCE_DAYS_MAX,
  advanceClock,
  assertSandbox,
  resetToBook,
  SANDBOX_STATUSES,
  sandboxState,
  dateMoving,
  noBook,
} from '../../jobs/operations/sandbox.ts';
import { returnPayment } from '../../jobs/payments/return.ts';
import { returnCode } from '../../jobs/payments/reverse.ts';
import { payments as table } from '../../sql/payments/payments.ts';
import { findLocked } from '../../sql/table.ts';
import { date, uuid } from '../../sql/types.ts';
import { endpoint } from '../endpoints/resource.ts';
import type { OwnTransactionCall, Route } from '../endpoints/route.ts';
import { payments } from '../payments/payments.ts';

const routeDefaults = { tag: 'operations', resource: 'sandbox' } as const;
const ELSEWHERE = 'A tenant that is not a sandbox answers 403 not_a_sandbox.';

const sandbox = z
  .object({
    business_date: date.describe('The current date in the books of the sandbox.'),
    status: z
      .enum(SANDBOX_STATUSES)
      .describe('moving: the workers are closing days. failed: a close needs an operator.'),
    moving_to: date
      .nullable()
      .describe('The business date that the sandbox will have. Null unless it is moving.'),
    failure_reason: z.string().nullable().describe('Why the close of a day failed.'),
    jobs_waiting: z
      .int()
      .describe('Jobs that still run or wait, such as printing statements and sending webhooks.'),
  })
  .meta({ id: 'Sandbox' });

const show = endpoint({
  ...routeDefaults,
  action: 'show',
  method: 'GET',
  path: '/sandbox',
  allow: 'viewer',
  summary: 'Get the state of the sandbox',
  description: `Shows the business date and whether it is moving. Poll it after POST /sandbox/advance until the status is ready. ${ELSEWHERE}`,
  status: 200,
  transaction: 'read',
  reply: sandbox,
  run: ({ work }) => sandboxState(work),
});

const Advance = z.object({
  days: z
    .int()
    .min(1)
    .max(ADVANCE_DAYS_MAX)
    .nullish()
    .describe(`The number of days to close, at most ${ADVANCE_DAYS_MAX}. Instead of to_date.`),
  to_date: date
    .nullish()
    .describe('The business date that the sandbox shall have. Instead of days.'),
});

const advance = endpoint({
  ...routeDefaults,
  action: 'advance',
  method: 'POST',
  path: '/sandbox/advance',
  allow: 'admin',
  summary: 'Advance the date of the sandbox',
  description: `Closes each day with the real close of business: interest accrues, late fees, autopay draws and statements follow. The workers do this; GET /sandbox shows their progress. While the date is moving, this answers 409 \`sandbox_busy\`. ${ELSEWHERE}`,
  conflicts: () => [dateMoving()],
  status: 202,
  transaction: 'write',
  body: Advance,
  example: () => ({ days: 1 }),
  reply: z
    .object({
      business_date: date.describe('The business date before the move.'),
      moving_to: date.describe('The business date after the move.'),
      run_id: uuid.nullable().describe('The run that closes the first day.'),
    })
    .meta({ id: 'SandboxAdvance' }),
  run: async ({ work, body }) => {
    const { to_date, run } = await advanceClock(work, body as z.output<typeof Advance>);
    if (run) {
      const changes = { business_date: { old: work.today, new: to_date } };
      await recordAudit(work, { type: 'cob_runs', id: run.id }, 'advance-sandbox', changes);
    }
    return { business_date: work.today, moving_to: to_date, run_id: run?.id ?? null };
  },
});

const Bounce = z.object({
  payment_id: uuid.describe('A payment that is completed or settled.'),
  return_code: returnCode
    .default('R01')
    .describe(
      'Why the bank returns it: R01 insufficient funds, R02 account closed, R10 not authorized.',
    ),
});

const bouncePayment = endpoint({
  ...routeDefaults,
  action: 'bounce-payment',
  method: 'POST',
  path: '/sandbox/bounce-payment',
  allow: 'loan_officer',
  summary: 'Bounce a payment',
  description: `Returns a payment on the business date as the borrower's bank would: reverses it, charges the product's returned payment fee, and retries or pauses autopay. ${ELSEWHERE}`,
  status: 200,
  transaction: 'write',
  body: Bounce,
  reply: payments.reply,
  run: async ({ work, body }) => {
    await assertSandbox(work);
    const { payment_id, return_code } = body as z.output<typeof Bounce>;
    const before = await findLocked(work.tx, table, payment_id);
    if (before === null) throw new Invalid({ payment_id: 'This payment does not exist.' });
    const input = { return_code, waive_fee: false };
    return auditChange(work, table, 'return', before, async () => {
      await returnPayment(work, payment_id, input);
      return payment_id;
    });
  },
});

const reset = endpoint({
  ...routeDefaults,
  action: 'reset',
  method: 'POST',
  path: '/sandbox/reset',
  allow: 'admin',
  needs_proof: true,
  security_event: 'sandbox_reset',
  summary: 'Reset the sandbox',
  description: `Returns the sandbox to the book with which it was created or seeded: its loans, payments, ledger, documents and date. A moving date stops after the current day. Users, sign-ins, settings and webhook subscriptions stay. Stored Idempotency-Keys are deleted. ${ELSEWHERE}`,
  conflicts: () => [noBook()],
  status: 200,
  transaction: 'own',
  reply: sandbox,
  run: ({ within, tenant_id }: OwnTransactionCall) => resetToBook(within, tenant_id),
});

export const sandboxRoutes: Route[] = [show, advance, bouncePayment, reset];

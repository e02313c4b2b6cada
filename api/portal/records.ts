import type { z } from 'zod';
import { NotFound } from '../../jobs/errors.ts';
import { AccountNumber, supplyAccountNumber } from '../../jobs/portal/account-number.ts';
import { assertBelowLimit } from '../../jobs/portal/profile.ts';
import { paymentInstruments as instruments } from '../../sql/borrowers/payment-instruments.ts';
import { findOwnRow } from '../../sql/portal/own-rows.ts';
import { addresses } from '../borrowers/addresses.ts';
import { emails } from '../borrowers/emails.ts';
import { paymentInstruments } from '../borrowers/payment-instruments.ts';
import { phones } from '../borrowers/phones.ts';
import type { Input, Resource } from '../endpoints/declaration.ts';
import { omitFields } from '../endpoints/body-schemas.ts';
import {
  setRecordArchived,
  filterByParent,
  createRecord,
  listDeclarationOf,
  fetchPage,
} from '../endpoints/record-operations.ts';
import type { Call, Route } from '../endpoints/route.ts';
import { borrowerEndpoint } from './borrower-endpoint.ts';
import { usedByAutopay } from '../../jobs/borrowers/payment-instrument.ts';

/** The body of a creation without fields that only staff or the server set. */
const ownRecordSchema = ({ creation }: Resource, ...staff: string[]) =>
  omitFields(creation, 'borrower_id', ...staff);

/**
 * The last four digits are enough to add an account. The portal draws from it once the full number is
 * known.
 */
const NewInstrument = ownRecordSchema(
  paymentInstruments,
  'is_verified',
  'verification_method',
  'status',
).superRefine((given: Input, check) => {
  if (given['instrument_type'] !== 'bank_account') return;
  const require = (name: string, message: string) =>
    check.addIssue({ code: 'custom', path: [name], message });
  if (!given['routing_number']) require('routing_number', 'Is required.');
  if (!given['account_number'] && !given['account_number_last_four'])
    require('account_number', 'Enter the account number or its last four digits.');
});
const NewAddress = ownRecordSchema(addresses, 'address_indicator', 'residence_code');
const NewEmail = ownRecordSchema(emails, 'status');
const NewPhone = ownRecordSchema(phones, 'status', 'carrier_name', 'is_landline');

const listOwnRecords =
  ({ declaration: { table } }: Resource) =>
  (call: Call, borrowerId: string) =>
    fetchPage({ ...call, list: filterByParent(call.list, 'borrower_id', borrowerId) }, table);

const addOwnRecord =
  ({ declaration }: Resource) =>
  async ({ work, body }: Call, borrower_id: string) => {
    await assertBelowLimit(work, declaration.table, borrower_id);
    return createRecord(work, declaration, { ...(body as Input), borrower_id });
  };

const portalInstruments: Route[] = [
  borrowerEndpoint({
    method: 'GET',
    path: '/portal/payment-instruments',
    action: 'list-instruments',
    summary: "List the borrower's bank accounts",
    description:
      'Shows the last four digits of each account and whether it is verified. Only verified accounts can pay.',
    reply: paymentInstruments.reply,
    list: listDeclarationOf(paymentInstruments.declaration),
    run: listOwnRecords(paymentInstruments),
  }),
  borrowerEndpoint({
    method: 'POST',
    path: '/portal/payment-instruments',
    action: 'create',
    summary: 'Add a bank account',
    description:
      'Give the account number or its last four digits. The account can pay once its number is known and verified.',
    status: 201,
    body: NewInstrument,
    example: () => ({ routing_number: '021000021', account_number: '1234567890' }),
    reply: paymentInstruments.reply,
    run: addOwnRecord(paymentInstruments),
  }),
  borrowerEndpoint({
    method: 'POST',
    path: '/portal/payment-instruments/{id}/account-number',
    action: 'supply-number',
    summary: 'Add the missing number of a bank account',
    description: 'The account stays unverified. The number must end in the known last four digits.',
    body: AccountNumber,
    reply: paymentInstruments.reply,
    run: ({ work, params, body }, borrowerId) =>
      supplyAccountNumber(work, borrowerId, params['id'] ?? '', AccountNumber.parse(body)),
  }),
  borrowerEndpoint({
    method: 'DELETE',
    path: '/portal/payment-instruments/{id}',
    action: 'delete',
    summary: 'Remove a bank account',
    description: 'The account can no longer pay. Answers 409 if autopay uses it.',
    conflicts: () => [usedByAutopay()],
    reply: paymentInstruments.reply,
    run: async (call, borrowerId) => {
      const { work, params } = call;
      const known = await findOwnRow(work.tx, instruments, params['id'] ?? '', borrowerId);
      if (known === null || known['is_archived'] === true) throw new NotFound();
      return setRecordArchived(call, paymentInstruments.declaration, true);
    },
  }),
];

/** Lists contacts and adds one, at /portal/profile/… */
const contacts = (name: string, child: Resource, body: z.ZodType): Route[] => [
  borrowerEndpoint({
    method: 'GET',
    path: `/portal/profile/${name}`,
    action: `list-${name}`,
    summary: `List the borrower's ${name}`,
    description: `The ${name} that the lender has of the borrower, newest first.`,
    reply: child.reply,
    list: listDeclarationOf(child.declaration),
    run: listOwnRecords(child),
  }),
  borrowerEndpoint({
    method: 'POST',
    path: `/portal/profile/${name}`,
    action: 'create',
    summary: `Add one of the borrower's ${name}`,
    description: `A borrower can have up to 20 ${name}. Borrowers cannot delete them; staff can.`,
    status: 201,
    body,
    reply: child.reply,
    run: addOwnRecord(child),
  }),
];

export const portalRecords: Route[] = [
  ...portalInstruments,
  ...contacts('addresses', addresses, NewAddress),
  ...contacts('emails', emails, NewEmail),
  ...contacts('phones', phones, NewPhone),
];

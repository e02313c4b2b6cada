import { expect, test } from 'vitest';
import { liens } from '../../api/collateral/liens.ts';
import { valuations } from '../../api/collateral/valuations.ts';
import { nested, resource } from '../../api/endpoints/resource.ts';
import { addBorrower, changeBorrower } from '../../jobs/borrowers/borrower.ts';
import { addContact } from '../../jobs/borrowers/primary-contacts.ts';
import { addLien } from '../../jobs/collateral/lien.ts';
import { addFee } from '../../jobs/loans/fees/fees.ts';
import { newEvent } from '../../jobs/loans/history/new-event.ts';
import { emit } from '../../jobs/webhooks/emit.ts';
import type { Work } from '../../jobs/work.ts';
import { liens as lienTable } from '../../sql/collateral/liens.ts';
import { table } from '../../sql/table.ts';
import { text, uuid } from '../../sql/types.ts';
import { insert } from '../../sql/write.ts';

const declared = {
  name: 'Email',
  path: 'emails',
  area: 'borrowers',
  table: lienTable,
  ...({
    read: 'viewer',
    write: 'loan_officer',
    offers: ['read'],
  } as const),
  fields: {
    id: uuid.readonly(),
    borrower_id: uuid,
    email: text,
    created_at: text.readonly(),
  },
};
const EMPTY = { rows: lienTable.rows };
const ON = '2026-01-15';

/** Every invalid line has a directive. The compiler reports a directive whose line is valid. */
const WRONG: Record<string, (work: Work) => unknown> = {
  'a child by a key that it has not': () => [
    nested(liens, 'collateral_id'),
    // @ts-expect-error -- a lien is on an item of collateral, not on a portfolio
    nested(liens, 'portfolio_id'),
    // @ts-expect-error -- misspelt
    nested(valuations, 'colateral_id'),
  ],
  'the creation of another resource': () => [
    resource({ ...declared, create: addContact('emails') }),
    // @ts-expect-error -- creating a phone needs a number
    resource({ ...declared, create: addContact('phones') }),
    // @ts-expect-error -- a borrower has names
    resource({ ...declared, create: addBorrower }),
    // @ts-expect-error -- a lien has a type
    resource({ ...declared, create: addLien }),
    // @ts-expect-error -- a fee has an amount
    resource({ ...declared, create: addFee }),
  ],
  'a creation that asks for what the server sets': () => [
    // @ts-expect-error -- a body has no readonly fields
    resource({ ...declared, create: async (_, { created_at }) => created_at }),
    resource({
      ...declared,
      writeOnly: { secret: text },
      create: async (_, { email, secret }) => email.concat(secret),
    }),
  ],
  'an update that has nothing to do with the fields': () => [
    // @ts-expect-error -- an email has no birthday
    resource({ ...declared, update: changeBorrower }),
    resource({
      ...declared,
      // @ts-expect-error -- an update may leave it out
      update: async (_work, _id, { email }: { email: string }) => void email,
    }),
    resource({
      ...declared,
      fixed: ['borrower_id'],
      // @ts-expect-error -- a fixed field cannot be changed
      update: async (_work, _id, { borrower_id }) => void borrower_id,
    }),
  ],
  'a misspelt field': () => [
    // @ts-expect-error -- misspelt
    resource({ ...declared, filters: ['emial'] }),
    // @ts-expect-error -- misspelt
    resource({ ...declared, fixed: ['emial'] }),
    // @ts-expect-error -- misspelt
    resource({ ...declared, sort: { field: 'emial', descending: false } }),
  ],
  'a table that there is not': ({ tx }) => [
    insert(tx, 'emails', {}),
    // @ts-expect-error -- tables are plural
    insert(tx, 'email', {}),
    // @ts-expect-error -- tables are plural
    table({ ...EMPTY, name: 'lien' }),
  ],
  'an event of no kind, or with the facts of another': () => [
    newEvent({ kind: 'draw', effective_date: ON, amount: '1.00' }),
    // @ts-expect-error -- there is no such kind of event
    newEvent({ kind: 'donation', effective_date: ON, amount: '1.00' }),
    // @ts-expect-error -- a draw has an amount
    newEvent({ kind: 'draw', effective_date: ON }),
    // @ts-expect-error -- a draw is not a payment
    newEvent({ kind: 'draw', effective_date: ON, amount: '1.00', payment_type: 'regular' }),
    // @ts-expect-error -- an amount is a decimal string
    newEvent({ kind: 'fee', effective_date: ON, amount: 1 }),
  ],
  'a webhook with the data of another event': (work) => [
    // @ts-expect-error -- a payment that was reversed has an amount and a reason
    emit(work, 'payment.reversed', { payment_id: '', loan_id: '' }),
    // @ts-expect-error -- there is no such event
    emit(work, 'payment.lost', { payment_id: '', loan_id: '' }),
  ],
};

/** These lines never run. `tsc` in `npm run check` verifies them. */
test.each(Object.entries(WRONG))('the compiler refuses %s', (_, wrong) => {
  expect(wrong).toBeTypeOf('function');
});

import { expect, test } from 'vitest';
import { isTransient } from '../../sql/database/transient-errors.ts';

const coded = (code: string, message = 'said by the server') =>
  Object.assign(new Error(message), { code });

test.each([
  ['a server that is not there', coded('ECONNREFUSED')],
  [
    'a name of two addresses, neither of which answers',
    new AggregateError([coded('ECONNREFUSED')]),
  ],
  ['a connection that was reset', coded('ECONNRESET')],
  ['a shutdown by the administrator', coded('57P01')],
  ['a crash of another session', coded('57P02')],
  ['a server that is starting', coded('57P03')],
  ['a connection failure', coded('08006')],
  ['too many connections', coded('53300')],
  ['a full disk', coded('53100')],
  ['a deadlock', coded('40P01')],
  ['a lock that was not given in time', coded('55P03')],
  ['a standby that takes no writes', coded('25006')],
  ['a connection lost without a code', new Error('Connection terminated unexpectedly')],
])('%s is temporary: the queue waits for its end', (_, error) => {
  expect(isTransient(error)).toBe(true);
});

test.each([
  ['a missing table', coded('42P01')],
  ['a refused right', coded('42501')],
  ['a broken constraint', coded('23505', 'the timeout must be unique')],
  ['a wrong password', coded('28P01')],
  ['something that is no error', 'ECONNREFUSED'],
])('%s is permanent', (_, error) => {
  expect(isTransient(error)).toBe(false);
});

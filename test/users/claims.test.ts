import { expect, test } from 'vitest';
import { readPerson, readRole } from '../../jobs/users/providers/claims.ts';

const roles = { desk: 'collector', heads: 'admin', 'ou=heads, o=bank': 'superadmin' } as const;

test.each([
  [{ groups: 'desk' }, 'groups', 'collector'],
  [{ groups: ['guests', 'heads', 'desk'] }, 'groups', 'admin'],
  [{ groups: ['ou=heads, o=bank'] }, 'groups', 'superadmin'],
  [{ realm: { access: { roles: ['desk'] } } }, 'realm.access.roles', 'collector'],
  [{ 'https://bank.example/roles': ['heads'] }, 'https://bank.example/roles', 'admin'],
  [{ groups: ['guests'] }, 'groups', null],
  [{ groups: { desk: true } }, 'groups', null],
  [{ groups: ['constructor', '__proto__'] }, 'groups', null],
  [{}, 'groups', null],
  [{}, 'constructor.name', null],
])('for %j, the claim %s means %s', (claims, claim, role) => {
  expect(readRole(claims, claim, roles)).toBe(role);
});

test.each([
  [['mfa'], true],
  [['pwd', 'otp'], true],
  [['fpt', 'hwk'], true],
  [['pwd'], false],
  [['pwd', 'pin'], false],
  [['otp', 'sms'], false],
  ['mfa', true],
  [[], false],
  [undefined, false],
  [{ mfa: true }, false],
])('a provider that reports %j has checked two factors: %s', (amr, expected) => {
  expect(readPerson({ sub: 'nora', amr })?.is_multi_factor).toBe(expected);
});

test('an address counts only if the provider verified it, and a name is built from the available parts', () => {
  const email = 'Nora@Lender.example';
  const emails = [true, 'true', false, 'yes', undefined].map(
    (email_verified) => readPerson({ sub: 'nora', email, email_verified })?.email,
  );

  expect(emails).toEqual(['nora@lender.example', 'nora@lender.example', null, null, null]);
  expect(readPerson({ sub: 'n', name: 'Nora May Whitfield' })).toMatchObject({
    first_name: 'Nora',
    last_name: 'May Whitfield',
  });
  expect(readPerson({ sub: 'n', given_name: 7 })).toMatchObject({ first_name: 'Unknown' });
  expect([readPerson({}), readPerson({ sub: '' }), readPerson({ sub: 'x'.repeat(256) })]).toEqual([
    null,
    null,
    null,
  ]);
});

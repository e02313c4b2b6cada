import { Invalid } from '../../jobs/errors.ts';
import { createUser as addUser } from '../../jobs/users/create-user.ts';
import { Invitation } from '../../jobs/users/invite.ts';
import { assertPasswordAllowed } from '../../jobs/users/sign-in/reset-password.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { sqlStateOf } from '../../sql/database/db.ts';
import { TENANT_ROLES } from '../../sql/users/users.ts';
import { UsageError, type Operation } from './operation.ts';
import { findTenant } from './find-tenant.ts';

const UNIQUE_VIOLATION = '23505';

/** The password comes from the environment, so it does not appear in process lists or the shell history. */
export const createUser: Operation = {
  name: 'create-user',
  usage: 'EMAIL --role ROLE [--tenant SLUG] [--name "FIRST LAST"]  (password: NEW_PASSWORD)',
  summary: 'Adds a user. Without NEW_PASSWORD, the user sets a password with a reset link',
  words: 1,
  options: ['tenant', 'role', 'name'],
  run: async ({ app, words, options, newPassword: password }) => {
    const [email = ''] = words;
    if (!email) throw new UsageError('Give the email address.');
    const tenant_role = TENANT_ROLES.find((role) => role === options['role']);
    if (!tenant_role) throw new UsageError(`--role takes one of ${TENANT_ROLES.join(', ')}.`);
    const { id: tenantId, slug } = await findTenant(app, options['tenant']);
    const [first_name = '', ...rest] = (options['name'] ?? email.split('@')[0] ?? '').split(' ');
    const last_name = rest.join(' ') || 'Staff';
    const checked = Invitation.safeParse({ email, first_name, last_name, tenant_role });
    if (!checked.success) throw new UsageError(checked.error.issues.map(formatIssue).join('\n'));
    const user = checked.data;
    try {
      const id = await createWithin(app, SYSTEM)(tenantId, async (work) => {
        if (password) await assertPasswordAllowed(work, password, user, 'NEW_PASSWORD');
        return addUser(work, { ...user, ...(password && { password }) });
      });
      return {
        say: `${email} is ${tenant_role} of ${slug}.`,
        rows: [{ id, tenant: slug, ...user }],
      };
    } catch (error) {
      if (error instanceof Invalid)
        throw new UsageError(`NEW_PASSWORD: ${error.errors['NEW_PASSWORD']}`, { cause: error });
      if (sqlStateOf(error) !== UNIQUE_VIOLATION) throw error;
      throw new UsageError(`${slug} has a user ${email} already.`, { cause: error });
    }
  },
};

const formatIssue = ({ path, message }: { path: PropertyKey[]; message: string }) =>
  `${path.map(String).join('.')}: ${message}`;

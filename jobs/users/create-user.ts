import { insert } from '../../sql/write.ts';
import type { Work } from '../work.ts';
import { hashPassword } from './sign-in/passwords.ts';

type NewUser = {
  email: string;
  first_name: string;
  last_name: string;
  tenant_role: string | null;
  borrower_id?: string | null;
  password?: string;
};

/** Adds a user of the tenant. A user without a password can sign in only after using a reset link. */
export async function createUser(
  { tx }: Pick<Work, 'tx'>,
  { password, ...user }: NewUser,
): Promise<string> {
  const password_hash = password === undefined ? null : await hashPassword(password);
  return insert(tx, 'users', { ...user, email: user.email.trim().toLowerCase(), password_hash });
}

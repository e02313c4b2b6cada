import { z } from 'zod';
import type { Proof as Kind } from '../../../sql/users/sessions.ts';
import { Invalid } from '../../errors.ts';
import type { Within } from '../../work.ts';
import { verifyCurrentPassword } from './verify-current-password.ts';
import {
  hasExactlyOneProof,
  proofFields,
  verifyProof,
  type ProofSubject,
} from '../second-factors/verify-proof.ts';

/**
 * Users must enter a password or factor again before they change their factors. An enrollment required by a
 * pending sign-in is exempt, because the user has just entered the password.
 */
export const Reauthentication = z
  .object({
    current_password: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .describe('Your password. Send it, or exactly one second factor.'),
    ...proofFields,
  })
  .refine((given) => Object.values(given).filter(Boolean).length <= 1, {
    path: ['current_password'],
    error: 'Send only one of current_password, code, recovery_code and passkey.',
  });

/**
 * Returns the second factor used (null for the password) or the seconds to wait. Throws Invalid for a wrong
 * proof.
 */
export async function reauthenticate(
  within: Within,
  tenantId: string,
  subject: ProofSubject,
  { current_password, ...given }: z.output<typeof Reauthentication>,
): Promise<{ wait: number } | { factor: Kind | null }> {
  if (current_password !== undefined) {
    const asked = await verifyCurrentPassword(within, tenantId, { ...subject, current_password });
    return 'wait' in asked ? asked : { factor: null };
  }
  if (!hasExactlyOneProof(given))
    throw new Invalid({ current_password: 'Is required, or send code, recovery_code or passkey.' });
  const tried = await within(tenantId, (work) => verifyProof(work, subject, given));
  if ('wait' in tried) return tried;
  const [field = 'code'] = Object.keys(given).filter((name) => given[name as 'code']);
  if (tried.kind === null) throw new Invalid({ [field]: 'Is wrong.' });
  return { factor: tried.kind };
}

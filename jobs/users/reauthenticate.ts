import { z } from 'zod';
import type { Proof as Kind } from '../../sql/users/sessions.ts';
import { Invalid } from '../errors.ts';
import type { Within } from '../work.ts';
import { verifyCurrentPassword } from './verify-current-password.ts';
import { hasExactlyOneProof, proofFields, verifyProof, type ProofSubject } from './verify-proof.ts';

/**
 * Before anything about his factors changes, a user proves himself anew: by password or by factor. Whoever
 * enrolls because his sign-in waits for it has just done so, and says nothing.
 */
export const Reauthentication = z
  .object({ current_password: z.string().min(1).max(1024).optional(), ...proofFields })
  .refine((given) => Object.values(given).filter(Boolean).length <= 1, {
    path: ['current_password'],
    error: 'Or code, recovery_code or passkey: one of them.',
  });

/**
 * The second factor that the user has proved himself by, null for the password; or the seconds to wait. What
 * is wrong is refused.
 */
export async function reauthenticate(
  within: Within,
  tenantId: string,
  whose: ProofSubject,
  { current_password, ...given }: z.output<typeof Reauthentication>,
): Promise<{ wait: number } | { factor: Kind | null }> {
  if (current_password !== undefined) {
    const asked = await verifyCurrentPassword(within, tenantId, { ...whose, current_password });
    return 'wait' in asked ? asked : { factor: null };
  }
  if (!hasExactlyOneProof(given))
    throw new Invalid({ current_password: 'Is required, or else code, recovery_code or passkey.' });
  const tried = await within(tenantId, (work) => verifyProof(work, whose, given));
  if ('wait' in tried) return tried;
  const [field = 'code'] = Object.keys(given).filter((name) => given[name as 'code']);
  if (tried.kind === null) throw new Invalid({ [field]: 'Is wrong.' });
  return { factor: tried.kind };
}

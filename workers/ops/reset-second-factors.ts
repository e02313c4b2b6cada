import { resetSecondFactors } from '../../jobs/users/second-factors/remove-second-factor.ts';
import { writeSecurityLog } from '../../jobs/users/security-log.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import * as accounts from '../../sql/users/accounts.ts';
import { UsageError, type Operation } from './operation.ts';
import { findTenant } from './find-tenant.ts';

/** For a tenant's only superadmin. Other users ask a superadmin to remove a lost factor. */
export const resetFactors: Operation = {
  name: 'reset-second-factors',
  usage: 'EMAIL [--tenant SLUG]',
  summary: "Removes a user's lost second factors and ends the user's sessions",
  words: 1,
  options: ['tenant'],
  run: async ({ app, words, options }) => {
    const [email = ''] = words;
    if (!email) throw new UsageError('Give the email address.');
    const { id: tenantId, slug } = await findTenant(app, options['tenant']);
    const id = await createWithin(app, SYSTEM)(tenantId, async (work) => {
      const user = await accounts.findActiveByEmail(work.tx, email.toLowerCase());
      if (user === null) return null;
      const { id } = await resetSecondFactors(work, user.id);
      const securityEvent = {
        event: 'second_factor_reset',
        outcome: 'done',
        subject_id: id,
      } as const;
      await writeSecurityLog(work, {
        ...securityEvent,
        route: 'npm run ops -- reset-second-factors',
      });
      return id;
    });
    if (id === null) throw new UsageError(`${slug} has no active user ${email}.`);
    return {
      say: `${email} of ${slug} now signs in without a second factor, and must enroll a new one if the tenant requires it.`,
      rows: [{ id, tenant: slug, email }],
    };
  },
};

import type { Stage, Tenant } from './world.ts';

/** Makes the tenant's users look as if they signed in long ago, or only through single sign-on. */
export const clearProofs = (stage: Stage, { id }: Pick<Tenant, 'id'>) =>
  stage.owner.query('update sessions set proved_at = null where tenant_id = $1', [id]);

/** Moves the users' last proof of identity into the past by so many minutes. */
export const ageProofs = (stage: Stage, { id }: Pick<Tenant, 'id'>, minutes: number) =>
  stage.owner.query(
    'update sessions set proved_at = now() - make_interval(mins => $2) where tenant_id = $1',
    [id, minutes],
  );

import type { Stage, Tenant } from './world.ts';

/** As if all users of the tenant had signed in long ago, or with nothing but single sign-on. */
export const clearProofs = (stage: Stage, { id }: Pick<Tenant, 'id'>) =>
  stage.owner.query('update sessions set proved_at = null where tenant_id = $1', [id]);

/** As if that many minutes had passed since the users of the tenant last proved who they are. */
export const ageProofs = (stage: Stage, { id }: Pick<Tenant, 'id'>, minutes: number) =>
  stage.owner.query(
    'update sessions set proved_at = now() - make_interval(mins => $2) where tenant_id = $1',
    [id, minutes],
  );

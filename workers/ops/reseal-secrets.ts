import { resealTenant, type InTenant } from '../../jobs/sealing/reseal.ts';
import { deriveKeys } from '../../jobs/sealing/secrets.ts';
import { within } from '../../sql/database/within.ts';
import * as sealed from '../../sql/sealed-columns.ts';
import { UsageError, type Operation } from './operation.ts';

export const resealSecrets: Operation = {
  name: 'secrets',
  usage: '                       (the keys: SECRET)',
  summary: 'Reseals values of older SECRET keys, and shows which keys can be removed',
  run: async ({ owner, app, secret }) => {
    if (!secret) throw new UsageError('Set SECRET to the value that the API and the workers use.');
    const keys = deriveKeys(secret);
    const { current } = keys;
    const inTenant: InTenant = (id, steps) => within(app, id, (tx) => steps(tx));
    const remaining = new Map<string, number>();
    let resealed = 0;
    for (const { id } of await sealed.listAllTenants(owner)) {
      resealed += await resealTenant(keys, inTenant, id);
      const counts = await within(app, id, sealed.countSealedByKey, { readOnly: true });
      for (const { key_id, count } of counts)
        remaining.set(key_id, (remaining.get(key_id) ?? 0) + count);
    }
    const known = (await sealed.listRegisteredKeys(owner)).map(({ id }) => id);
    const ids = [...new Set([current, ...known, ...remaining.keys()])];
    const spent = ids.filter((id) => id !== current && !remaining.has(id));
    await sealed.retireKeys(owner, spent);
    const rows = ids.map((id) => ({
      key: id,
      sealed: remaining.get(id) ?? 0,
      is_current: id === current,
      may_go: spent.includes(id),
    }));
    const lines = rows.map(
      ({ key, sealed: count, is_current, may_go }) =>
        `  ${key}: ${count}${is_current ? ', the current key' : ''}${may_go ? ', may be taken out of SECRET' : ''}`,
    );
    return { say: `Resealed: ${resealed}. Values sealed by each key:\n${lines.join('\n')}`, rows };
  },
};

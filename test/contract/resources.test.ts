import { expect, test } from 'vitest';
import { routes } from '../../api/routes.ts';
import { newStage } from '../setup/world.ts';
import { collectionOf, fieldsOf, newRecords, puts } from './writable.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const superadmin = await tenant.signedIn('superadmin');
const { recordOf } = newRecords(tenant, superadmin);

const deletes = new Set(routes.filter(({ method }) => method === 'DELETE').map(({ path }) => path));

test.each(puts.map((route) => [collectionOf(route), route] as const))(
  'one of %s is created, read, changed and deleted as declared',
  async (collection, route) => {
    const { id } = await recordOf(collection).catch((error: Error) => {
      throw new Error(
        `The example of ${collection} is refused. Give its resource() an \`example\` with the fields that its rules need. ${error.message}`,
      );
    });
    const path = `${collection}/${id}`;
    const replies = [await superadmin.get(path)];
    for (const { name, value } of fieldsOf(route))
      replies.push(await superadmin.put(path, { [name]: value(1, 'x') }));
    if (deletes.has(route.path)) replies.push(await superadmin.delete(path));

    const broken = replies
      .filter(({ status }) => status >= 500)
      .map(({ status, body }) => `${status} ${JSON.stringify(body)}`);
    expect(replies[0]).toMatchObject({ status: 200, body: { id } });
    expect(broken).toEqual([]);
    expect(replies.slice(1).map(({ status }) => status)).toContain(200);
  },
);

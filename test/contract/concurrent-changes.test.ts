import { expect, test } from 'vitest';
import type { Client } from '../setup/client.ts';
import { secondSuperadmin } from '../setup/team.ts';
import { newStage } from '../setup/world.ts';
import { collectionOf, fieldsOf, newRecords, puts, type Field, type Row } from './writable.ts';

/** Set ROUNDS for more rounds. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 15);

const stage = await newStage();
const tenant = await stage.tenant();
const superadmin = await tenant.signedIn('superadmin');
/** Only superadmins may change some records, so the admin becomes one too. */
const clients = { admin: await secondSuperadmin(tenant, superadmin), superadmin };
const { recordOf } = newRecords(tenant, superadmin);

type Change = { by: string; changes: Record<string, { old: unknown; new: unknown }> };

/** The record's changes from its history, oldest first. */
async function historyOf(id: string): Promise<Change[]> {
  const { rows } = await stage.owner.query<Change>(
    `select split_part(actor_email, '@', 1) as by, changes from audit_log
     where entity_id = $1 and action = 'update' order by created_at, id`,
    [id],
  );
  return rows;
}

/** Two fields that an update really changes, one for each officer. If there is only one, both use it. */
async function fieldsFor(client: Client, path: string, fields: Field[]) {
  const free: Field[] = [];
  for (const field of fields) {
    if (/^is_(primary|default)$/.test(field.name) || free.length === 2) continue;
    const takes = async (round: number) => {
      const { status, body } = await client.put(path, { [field.name]: field.value(round, 'x') });
      return status === 200 && body[field.name] === field.value(round, 'x');
    };
    if ((await takes(1)) && (await takes(2))) free.push(field);
  }
  const [one, other = one] = free;
  if (!one || !other) throw new Error(`Nothing can be written freely at ${path}.`);
  return { admin: one, superadmin: other };
}

test.each(puts.map((route) => [collectionOf(route), route] as const))(
  'when two users change one of %s at once, each change is recorded with its own user',
  async (collection, route) => {
    const path = `${collection}/${(await recordOf(collection)).id}`;
    const id = path.split('/').at(-1) ?? '';
    const fields = await fieldsFor(clients.admin, path, fieldsOf(route));
    // Fields that change along with it, such as a template's version, are the same each time.
    const along = (await historyOf(id)).slice(-3).flatMap(({ changes }) => Object.keys(changes));
    const own = [fields.admin.name, fields.superadmin.name];
    const derived = along.filter((name) => !own.includes(name));
    const first = (await clients.admin.get(path)).body as Row;
    const known = (await historyOf(id)).length;

    for (let round = 3; round < 3 + ROUNDS; round += 1) {
      const put = async (by: 'admin' | 'superadmin') =>
        clients[by].put(path, { [fields[by].name]: fields[by].value(round, by) });
      const replies = await Promise.all([put('admin'), put('superadmin')]);
      expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    }

    const last = (await clients.admin.get(path)).body as Row;
    const history = (await historyOf(id)).slice(known);
    const folded: Record<string, unknown> = { ...first };
    for (const { by, changes } of history) {
      const { name: changed } = fields[by as 'admin' | 'superadmin'];
      expect(Object.keys(changes).filter((name) => !derived.includes(name))).toEqual([changed]);
      for (const [name, change] of Object.entries(changes)) {
        expect([name, change.old]).toEqual([name, folded[name]]);
        folded[name] = change.new;
      }
    }
    expect({ ...folded, updated_at: last['updated_at'] }).toEqual(last);
    expect(history.length).toBeGreaterThanOrEqual(ROUNDS);
  },
  60_000,
);

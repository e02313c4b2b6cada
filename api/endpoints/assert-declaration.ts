import { OWNER_KEYS } from '../../sql/table.ts';
import { TENANT_ROLES } from '../../sql/users/users.ts';
import type { Role } from '../http/permissions.ts';
import type { AnyDeclaration, StandardEndpoint } from './declaration.ts';

const CHANGES = ['create', 'update', 'delete', 'archive'] satisfies StandardEndpoint[];
const rankOf = (role: Role) => TENANT_ROLES.indexOf(role);

/** Throws if the declaration cannot work, and says what to write instead. */
export function assertDeclaration(declared: AnyDeclaration) {
  const { name, read, write, roles = {}, offers, fields } = declared;
  const wrong = (problem: string) => new Error(`Resource ${name}: ${problem}`);
  for (const change of CHANGES) {
    const role = roles[change] ?? write;
    if (role === 'viewer')
      throw wrong(`a viewer only reads. Let \`${change}\` need collector or a higher role.`);
    if (rankOf(role) < rankOf(roles.read ?? read))
      throw wrong(
        `${role} may ${change} what only ${read} may read. Raise \`write\` or lower \`read\`.`,
      );
  }
  if (!('id' in fields))
    throw wrong('every record has an id. Add `id: uuid.readonly()` to `fields`.');
  if (offers.includes('archive') && !('is_archived' in fields))
    throw wrong(
      'it offers `archive`. Add the column is_archived and `is_archived: flag.readonly()` to `fields`, or offer `delete`.',
    );
}

/** Throws if a change below an owner does not say whether it locks the owner. */
export function assertOwner({ name, table, offers }: AnyDeclaration, key: string) {
  const [owner] = Object.entries(OWNER_KEYS).find(([, column]) => column === key) ?? [];
  const isChanged = CHANGES.some((change) => change !== 'create' && offers.includes(change));
  if (owner === undefined || !isChanged || table.owner !== undefined) return;
  throw new Error(
    `Resource ${name}: its table() names no owner. Write \`owner: '${owner}'\` if a change depends on other records of the same owner, otherwise \`owner: null\`.`,
  );
}

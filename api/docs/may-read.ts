type Permission = { allow: string; action: string; resource: string };
type Reader = {
  tenant_role: string | null;
  borrower_id: string | null;
  permissions: readonly { type?: string; action: string; resource: string; record?: unknown }[];
};
type Known = {
  /** From the lowest role to the highest. */
  roles: readonly string[];
  /** The permission that a GET of each path needs, with {id} parameters in the path. */
  lists: Readonly<Record<string, Permission>>;
  base: string;
};

/**
 * Whether the reader may GET the path. A request that is refused would be recorded in the security log, so
 * in doubt the answer is no: grants for single records do not count.
 *
 * The docs page runs the source text of this function, so it must not use names from outside.
 */
export function mayRead(reader: Reader, path: string, { roles, lists, base }: Known): boolean {
  const words = `${base}${path}`.split('/');
  const isParameter = (word: string) => word.startsWith('{');
  const matches = (pattern: string) => {
    const parts = pattern.split('/');
    return (
      parts.length === words.length &&
      parts.every((part, at) => isParameter(part) || part === words[at])
    );
  };
  const parameters = (pattern: string) => pattern.split('/').filter(isParameter).length;
  // The router prefers a path with fewer parameters: /users/me is not /users/{id}.
  const [pattern = ''] = Object.keys(lists)
    .filter(matches)
    .sort((one, other) => parameters(one) - parameters(other));
  const needed = lists[pattern];
  if (needed === undefined) return false;
  const { allow, action, resource } = needed;
  if (allow === 'any' || allow === 'anyone') return true;
  if (reader.tenant_role === null) return allow === 'borrower' && reader.borrower_id !== null;
  const hasRole =
    roles.includes(allow) && roles.indexOf(reader.tenant_role) >= roles.indexOf(allow);
  const covers = (given: string, wanted: string) => given === '*' || given === wanted;
  const rules = reader.permissions.filter(
    (rule) =>
      rule.record === undefined && covers(rule.action, action) && covers(rule.resource, resource),
  );
  return hasRole && rules.length > 0 && rules.every(({ type }) => type !== 'deny');
}

import { usualSort } from './lists.ts';
import { describeProof } from './recent-proof.ts';
import type { Route } from './route.ts';

/** The effect of the operation, the required permission and possible refusals. */
export const describeOperation = (route: Route): string =>
  [
    route.description ? `${route.description} ` : '',
    describeList(route),
    describePermission(route),
    describeApproval(route),
    describeProof(route),
    describeFacts(route),
  ].join('');

function describeList({ list }: Route): string {
  if (list === undefined) return '';
  const { field, descending } = usualSort(list);
  const archived = list.isArchivable
    ? ' Omits archived records unless you filter by is_archived.'
    : '';
  return `Default order: ${field}, ${descending ? 'descending' : 'ascending'}.${archived} `;
}

function describePermission({ allow }: Route): string {
  if (allow === 'anyone') return 'No sign-in is required.';
  if (allow === 'any') return 'Any signed-in user may use it.';
  if (allow === 'borrower') return 'Only a signed-in borrower may use it.';
  if (allow === 'provider') return 'Only message providers use it. Their signature is required.';
  if (allow === 'superadmin') return 'Requires the role superadmin.';
  return `Requires the role ${allow} or a higher one, or a permission.`;
}

const describeApproval = ({ four_eyes: kind }: Route): string =>
  kind === undefined
    ? ''
    : ` May need a second person's approval (${kind}). Then the answer is 202, and the operation runs after POST /approvals/{id}/approve.`;

const describeFacts = ({ carries }: Route): string =>
  carries === undefined || carries.length === 0
    ? ''
    : ' Answers 403 if the user is denied a field that this operation would send out.';

import type { ApprovalKind } from '../../jobs/users/settings/access-settings.ts';
import type { Table } from '../../sql/table.ts';
import type { Call, NeedsProof, Route } from './route.ts';

/**
 * Omits properties without a value, as `exactOptionalPropertyTypes` requires. `record` is the table of the
 * {id} in the path.
 */
export const approvalProps = (
  kind: ApprovalKind | undefined,
  record?: Table,
  asks_if?: (call: Call) => Promise<boolean>,
) =>
  kind === undefined
    ? {}
    : { four_eyes: kind, ...(record && { record }), ...(asks_if && { asks_if }) };

export const conflictProps = (conflicts: Route['conflicts']) =>
  conflicts === undefined ? {} : { conflicts };

export const proofProps = (needs_proof: NeedsProof | undefined) =>
  needs_proof === undefined ? {} : { needs_proof };

import os from 'node:os';
import type { ChangeReason } from '../../sql/queue/worker-operations.ts';
import { UsageError } from './operation.ts';

/** The options of every operation that changes how the platform runs. */
export const CAUSE_OPTIONS = ['reason', 'by'] as const;
export const CAUSE_USAGE = '--reason TEXT [--by NAME]';

/** Reads who makes the change (`--by`, or the machine's account) and why. Throws if no reason is given. */
export function parseCause(options: Readonly<Record<string, string | undefined>>): ChangeReason {
  const why = options['reason']?.trim() ?? '';
  if (why === '' || why.length > 500) {
    throw new UsageError('Say why with --reason TEXT (at most 500 characters); it is kept.');
  }
  const who = options['by']?.trim() ?? `${os.userInfo().username}@${os.hostname()}`.slice(0, 200);
  if (who === '' || who.length > 200) throw new UsageError('--by takes 1 to 200 characters.');
  return { who, why };
}

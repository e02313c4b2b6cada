/** CPU time of this thread in milliseconds, which does not depend on other load of the machine. */
export function cpuTimeMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Whether the work takes longer than the limit twice in a row. The first run may include one-time
 * compilation.
 */
export const isSlow = (limitMs: number, work: () => unknown): boolean =>
  cpuTimeMs(work) > limitMs && cpuTimeMs(work) > limitMs;

/** The same for asynchronous work. Nothing else may run at the same time. */
export async function isSlowAsync(limitMs: number, work: () => Promise<unknown>) {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const before = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(before);
    if ((user + system) / 1_000 <= limitMs) return false;
  }
  return true;
}

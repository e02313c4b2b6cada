/** What the thread itself spends on the work: the machine may be busy with other things. */
export function cpuTimeMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Whether it takes longer twice: the first time may also pay for what is compiled only once. */
export const isSlow = (limitMs: number, work: () => unknown): boolean =>
  cpuTimeMs(work) > limitMs && cpuTimeMs(work) > limitMs;

/** The same of work that waits in between; nothing else may run meanwhile. */
export async function isSlowAsync(limitMs: number, work: () => Promise<unknown>) {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const before = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(before);
    if ((user + system) / 1_000 <= limitMs) return false;
  }
  return true;
}

/** The duration of each part of a run, in seconds. */
export type Phases = {
  in<Result>(name: string, steps: () => Promise<Result>): Promise<Result>;
  seconds(): Record<string, number>;
};

export function startPhases(): Phases {
  const taken = new Map<string, number>();
  return {
    async in(name, steps) {
      const started = performance.now();
      try {
        return await steps();
      } finally {
        taken.set(name, (taken.get(name) ?? 0) + performance.now() - started);
      }
    },
    seconds: () =>
      Object.fromEntries([...taken].map(([name, ms]) => [name, Math.round(ms / 100) / 10])),
  };
}

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export type StopRequest = {
  /** Aborted when the user asks the demo to stop. */
  signal: AbortSignal;
  /** The exit code after a stop request, otherwise null. */
  code(): number | null;
};

/** Handles Ctrl-C: prints one line and lets the demo stop everything that it started. */
export function watchSignals(): StopRequest {
  const asking = new AbortController();
  let code: number | null = null;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (code !== null) return;
      code = CODES[signal];
      console.log(`${process.stdout.isTTY ? '\r\x1b[2K' : ''}Stopping …`);
      asking.abort(new Error('The demo was asked to stop.'));
    });
  }
  return { signal: asking.signal, code: () => code };
}

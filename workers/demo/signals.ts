const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export type StopRequest = {
  /** Aborted once somebody has asked the demo to stop. */
  signal: AbortSignal;
  /** What a process that was stopped so ends with; null while nobody has asked. */
  code(): number | null;
};

/** Ctrl-C is answered with one line, whatever is going on, and everything that was started is ended. */
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

const WIDTH = 28;
const REDRAW_MS = 100;
const SAY_AGAIN_MS = 10_000;

export type Bar = { at(done: number, note?: string): void; end(note?: string): void };

/** A bar that moves on a terminal; in a log, a line now and then. */
export function startBar(label: string, total: number): Bar {
  const started = Date.now();
  const isTerminal = process.stdout.isTTY === true;
  let drawn = started;
  const seconds = () => `${((Date.now() - started) / 1000).toFixed(1)} s`;
  const text = (done: number, note: string) => {
    const filled = total === 0 ? WIDTH : Math.round((Math.min(done, total) / total) * WIDTH);
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
    return `${label.padEnd(12)} ${bar} ${done}/${total} ${note}`;
  };
  const columns = () => Math.max(20, (process.stdout.columns ?? 100) - 1);
  if (!isTerminal) console.log(`${label.padEnd(12)} 0/${total}`);
  return {
    at(done, note = '') {
      const since = Date.now() - drawn;
      if (since < (isTerminal ? REDRAW_MS : SAY_AGAIN_MS)) return;
      drawn = Date.now();
      if (isTerminal) process.stdout.write(`\r\x1b[2K${text(done, note).slice(0, columns())}`);
      else console.log(`${label.padEnd(12)} ${done}/${total} ${note}`);
    },
    end(note = '') {
      if (isTerminal) process.stdout.write('\r\x1b[2K');
      console.log(`${label.padEnd(12)} ${note} in ${seconds()}`);
    },
  };
}

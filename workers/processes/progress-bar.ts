const WIDTH = 28;
const REDRAW_MS = 100;
const REPEAT_MS = 10_000;

export type ProgressBar = {
  at(done: number, note?: string, total?: number | null): void;
  end(note?: string): void;
};

/**
 * Shows a progress bar on a terminal. In a log, it writes a line now and then. `total`: null if it is not known, so that
 * only a count is shown.
 */
export function startProgressBar(
  label: string,
  total: number | null,
  stream: NodeJS.WriteStream = process.stdout,
): ProgressBar {
  const started = Date.now();
  const isTerminal = stream.isTTY;
  let drawn = started;
  const name = label.padEnd(12);
  const say = (text: string) => stream.write(`${text}\n`);
  const drawing = (done: number, note: string, all: number | null) => {
    if (all === null) return `\r\x1b[2K${name} ${done} ${note}`;
    const filled = all === 0 ? WIDTH : Math.round((Math.min(done, all) / all) * WIDTH);
    const text = `${name} ${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${done}/${all} ${note}`;
    return `\r\x1b[2K${text.slice(0, Math.max(20, (stream.columns ?? 100) - 1))}`;
  };
  if (!isTerminal && total !== null) say(`${name} 0/${total}`);
  return {
    at(done, note = '', all = total) {
      if (Date.now() - drawn < (isTerminal ? REDRAW_MS : REPEAT_MS)) return;
      drawn = Date.now();
      if (isTerminal) stream.write(drawing(done, note, all));
      else say(`${name} ${done}${all === null ? '' : `/${all}`} ${note}`);
    },
    end(note = '') {
      if (isTerminal) stream.write('\r\x1b[2K');
      say(`${name} ${note} in ${((Date.now() - started) / 1000).toFixed(1)} s`);
    },
  };
}

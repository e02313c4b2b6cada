/** One bar of a chart: the total of a quarter of an hour. */
export type Bar = { at: string; value: number };

const [WIDTH, HEIGHT, BASE] = [480, 100, 80];
const QUARTERS = 96;
const QUARTER_MS = 15 * 60_000;

/** Draws the last 24 hours as an SVG without a script, with one bar for each quarter of an hour in UTC. */
export function renderDayChart(bars: readonly Bar[], { called, unit, now }: Chart): string {
  const last = Math.floor(now.getTime() / QUARTER_MS);
  const values = new Map(bars.map(({ at, value }) => [Date.parse(at) / QUARTER_MS, value]));
  const most = Math.max(0, ...values.values());
  const width = WIDTH / QUARTERS;
  const columns = Array.from({ length: QUARTERS }, (_, place) => {
    const value = values.get(last - QUARTERS + 1 + place) ?? 0;
    if (value <= 0) return '';
    const height = Math.max(2, (value / most) * (BASE - 20));
    const [x, y] = [(place * width).toFixed(1), (BASE - height).toFixed(1)];
    return `<rect x="${x}" y="${y}" width="${(width - 1).toFixed(1)}" height="${height.toFixed(1)}"/>`;
  });
  const hours = [0, 6, 12, 18].map((offset) => {
    const place = offset * 4;
    const at = new Date((last - QUARTERS + 1 + place) * QUARTER_MS);
    const hour = at.toISOString().slice(11, 16);
    return `<text x="${(place * width).toFixed(1)}" y="${HEIGHT - 3}">${hour}</text>`;
  });
  const peak = most === 0 ? 'none' : `maximum ${shortNumber(most)} ${unit}`;
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${called}, last day: ${peak}">`,
    `<line x1="0" x2="${WIDTH}" y1="${BASE}" y2="${BASE}"/>`,
    ...columns,
    `<text x="${WIDTH}" y="13" text-anchor="end">${peak}</text>`,
    ...hours,
    '</svg>',
  ].join('');
}

/** The texts are not escaped. Pass only constants. */
type Chart = { called: string; unit: string; now: Date };

const shortNumber = (value: number) => String(Math.round(value * 10) / 10);

import { alternate } from './figures.ts';

type Act = () => Promise<unknown>;

export const measureSeconds = async (act: Act): Promise<number> => {
  const started = performance.now();
  await act();
  return (performance.now() - started) / 1000;
};

/** Alternates ours and the floor after one warm-up each. Returns the seconds of both. */
export async function compareWithFloor(rounds: number, ours: Act, floor: Act) {
  await floor();
  await ours();
  return alternate(rounds, {
    ours: () => measureSeconds(ours),
    floor: () => measureSeconds(floor),
  });
}

export const formatCount = (count: number) => count.toLocaleString('en');

/** For example '1.23 s, 81,300 per second'. */
export const formatRate = (count: number, seconds: number) =>
  `${seconds.toFixed(2)} s, ${formatCount(Math.round(count / seconds))} a second`;

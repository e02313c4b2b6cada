import { spikesAbove, type Finding } from './attack.ts';
import { describeShot } from './report.ts';

/** All problems of a run as sentences. Empty if the API passed. */
export function problemsIn({ report, loop, culprits, violations, victim }: Finding): string[] {
  return [
    ...[...report.failures.values()].map(
      ({ route, what, count, line }) => `${route} ${what} (${count} times)\n    ${line}`,
    ),
    ...spikesAbove(victim.spikes)
      .slice(0, 20)
      .map(
        ({ own, late, during }) =>
          `The event loop stands still for ${own.toFixed()} ms of its own (${late.toFixed()} ms), during ${during.join(', ')}`,
      ),
    ...culprits.map(
      ({ shot, told }) =>
        `Alone it takes ${told.own.toFixed()} ms of the loop:\n    ${describeShot(shot)}`,
    ),
    ...violations.map((violation) => `Afterwards ${violation}`),
    ...[...victim.leaks].slice(0, 20).map((leak) => `The log holds ${leak.slice(0, 600)}`),
    ...loop.polluted.map((name) => `Every object has ${name}`),
  ];
}

export function printFinding(found: Finding) {
  const { report, loop, victim, targets } = found;
  const requests = [...report.statuses.values()].reduce((sum, count) => sum + count, 0);
  console.log(`\n${requests} requests, ${victim.lines()} lines of log.`);
  const statuses = [...report.statuses].toSorted(([one], [other]) => one - other);
  console.log(statuses.map(([status, count]) => `${status || 'none'}: ${count}`).join('  '));
  const hits = [...report.routes.values()].map((route) => route.hits);
  console.log(
    `Routes: ${hits.length}, each met ${Math.min(...hits)} to ${Math.max(...hits)} times.`,
  );
  const never = targets
    .filter(({ route }) => route.method !== 'GET')
    .filter(({ name }) => report.routes.get(name)?.good === 0);
  console.log(`Routes that write and never did (${never.length}):`);
  for (const { name } of never) console.log(`  ${name}`);
  console.log(
    `Event loop: longest delay ${loop.max.toFixed()} ms, p99 ${loop.p99.toFixed()} ms, of its own ${loop.own.toFixed()} ms during ${loop.during.join(', ')}`,
  );
  console.log(`Memory at the end: ${loop.megabytes.toFixed()} MB.`);
  const { ms, line } = report.slowest();
  console.log(`Slowest answer: ${ms.toFixed()} ms\n    ${line}`);
  const sins = problemsIn(found);
  console.log(sins.length === 0 ? 'Nothing was found.' : `\nFound (${sins.length}):`);
  for (const sin of sins) console.log(`- ${sin}`);
}

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { violationsIn } from '../setup/violations.ts';
import { sendRaw } from '../setup/raw-socket.ts';
import { sendShot, type Outcome } from './send-shot.ts';
import { CANARIES, newGround, type Attacker, type Ground } from './ground.ts';
import { malformedPackets } from './packets.ts';
import { newRandom } from './random.ts';
import { newReport, type Report } from './report.ts';
import { populate } from './populate.ts';
import { buildShot, type Shot } from './shots.ts';
import { findTargets, type Target } from './targets.ts';
import { startApiUnderAttack, type ApiUnderAttack } from './api-under-attack.ts';
import type { Spike, LoopReport } from './event-loop-watch.ts';

export type Plan = { url: string; requests: number; seed: number; only?: readonly number[] };

const IN_FLIGHT = 8;
const LOOP_DELAY_MS = 200;
/** After this many requests, the ids of new records are read and changed settings are restored. */
const REQUESTS_PER_ROUND = 400;
/** Malformed packets are sent once in this many rounds, between the other requests. */
const ROUNDS_PER_PACKET = 25;
/** Requests that could lock the other attackers out go to a second tenant. */
const SECOND_TENANT_PATHS =
  /\/tenant\/settings|\/communications\/providers|\/ledger\/(closings|year-ends)/;

type AttackRun = {
  plan: Plan;
  victim: ApiUnderAttack;
  main: Ground;
  aside: Ground;
  targets: Target[];
  report: Report;
};
export type Finding = Awaited<ReturnType<typeof attack>>;

/** Sends all requests to a fresh API. Returns the findings. */
export async function attack(plan: Plan, say: (line: string) => void = () => {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'attack-'));
  const secret = randomBytes(32).toString('hex');
  const canaries = new Set([...CANARIES, secret]);
  const victim = await startApiUnderAttack({ url: plan.url, secret, folder }, canaries);
  try {
    const main = await newGround(plan.url, victim.port, 'attacked');
    const aside = await newGround(plan.url, victim.port, 'aside');
    for (const { clients } of [main, aside])
      for (const { cookies } of Object.values(clients))
        for (const value of cookies.values()) canaries.add(value);
    const rounds = plan.requests > 5_000 ? 2 : 1;
    await Promise.all([populate(main, plan.seed, rounds), populate(aside, plan.seed, 0)]);
    const targets = await findTargets(main, plan.seed);
    const report = newReport(targets, say);
    const field = { plan, victim, main, aside, targets, report };
    await victim.report();
    victim.spikes.length = 0;
    say(`The world stands; ${targets.length} routes.`);
    await runCampaign(field, say);
    const loop = await victim.report();
    const culprits = await replaySpikes(field);
    await Promise.all([main.owner.end(), aside.owner.end()]);
    const violations = await violationsIn({ url: plan.url });
    return { report, loop, culprits, violations, victim, targets };
  } finally {
    await victim.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runCampaign({ plan, ...field }: AttackRun, say: (line: string) => void) {
  const numbers = plan.only ?? Array.from({ length: plan.requests }, (_, number) => number);
  for (let start = 0; start < numbers.length; start += REQUESTS_PER_ROUND) {
    const round = numbers.slice(start, start + REQUESTS_PER_ROUND);
    let next = 0;
    const shooter = async () => {
      while (next < round.length) await sendRequest({ plan, ...field }, round[next++] ?? 0);
    };
    const packets = (start / REQUESTS_PER_ROUND) % ROUNDS_PER_PACKET === 0 && !plan.only;
    const shooters = Array.from({ length: IN_FLIGHT }, shooter);
    await Promise.all([...shooters, packets && sendPackets({ plan, ...field })]);
    if (!field.victim.isAlive()) throw new Error(`The API has ended: ${[...field.victim.faults]}`);
    await Promise.all([field.main.refresh(), field.aside.refresh()]);
    await Promise.all([field.main.restore(), field.aside.restore()]);
    for (const ground of [field.main, field.aside]) await renewSessions(ground);
    if (start % (REQUESTS_PER_ROUND * 10) === 0)
      say(`${start + round.length} of ${numbers.length}`);
  }
}

/** Signs in again every attacker whose session ended. */
async function renewSessions(ground: Ground) {
  for (const who of ['superadmin', 'leaver', 'borrower'] as const) {
    const { status } = await ground.clients[who].get('/users/me');
    if (status === 401) await signInAgain(ground, who);
  }
}

/** The attack also tries to sign in under these names, and those attempts count for a minute. */
async function signInAgain(ground: Ground, who: Attacker) {
  for (let waits = 0; ; waits += 1) {
    try {
      return await ground.signIn(who);
    } catch (error) {
      if ((error as { status?: number }).status !== 429 || waits === 4) throw error;
      await wait(20_000);
    }
  }
}

export const groundFor = (shot: Pick<Shot, 'name' | 'number'>, { main, aside }: AttackRun) =>
  SECOND_TENANT_PATHS.test(shot.name) || shot.number % 23 === 0 ? aside : main;

async function sendRequest(field: AttackRun, number: number) {
  const { plan, victim, targets, report } = field;
  const random = newRandom(plan.seed, -1 - number);
  const ground = groundFor(
    { number, name: buildShot(number, plan.seed, field.main, targets).name },
    field,
  );
  const shot = buildShot(number, plan.seed, ground, targets);
  const times = random.chance(0.03) ? 4 : 1;
  // Sends some requests several times concurrently, like an impatient client or a retrying proxy.
  const outcomes = await Promise.all(
    Array.from({ length: times }, () => sendShot(shot, ground, victim.port)),
  );
  for (const outcome of outcomes) {
    report.judge(shot, outcome);
    if (outcome.status >= 500) report.fail(await findFault(outcome, victim), shot);
  }
  if (shot.who === 'leaver') await ground.signIn('leaver').catch(() => {});
}

/** The log entry of the request, which may arrive shortly after the answer. */
async function findFault({ status, request_id, text }: Outcome, { faults }: ApiUnderAttack) {
  for (let at = 0; at < 40 && !faults.has(request_id); at += 1) await wait(50);
  return `answers ${status}: ${faults.get(request_id) ?? text.slice(0, 200)}`;
}

async function sendPackets({ victim, main, report }: AttackRun) {
  const { cookies } = main.clients.superadmin;
  const waiting = malformedPackets({
    host: main.host,
    cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    csrf: cookies.get('csrftoken') ?? '',
  });
  const sender = async () => {
    for (let bytes = waiting.shift(); bytes !== undefined; bytes = waiting.shift()) {
      const text = await sendRaw(victim.port, bytes, 1_000);
      await judgePacket(bytes, text, { victim, report });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, sender));
}

const SECRETS = /sessionid=[^;\r]*|csrftoken=[^;\r]*|X-CSRFToken: .*/g;

/** The API may hang up on bytes that are not HTTP. If it answers, the answer must not be a fault. */
async function judgePacket(
  bytes: string,
  text: string,
  { victim, report }: Pick<AttackRun, 'victim' | 'report'>,
) {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
  const body = bytes.replaceAll(SECRETS, '…');
  const name = `packet ${bytes.split('\r\n')[0]?.slice(0, 80)}`;
  const shot: Shot = {
    number: -1,
    name,
    who: 'superadmin',
    method: '',
    path: '',
    headers: {},
    body,
  };
  report.count(status);
  const request_id = /x-request-id: (\S+)/i.exec(text)?.[1] ?? '';
  if (status >= 500)
    report.fail(await findFault({ status, request_id, text, ms: 0 }, victim), shot);
  if (status === 0 && text !== '') report.fail(`gets ${text.slice(0, 80)}`, shot);
}

/**
 * Sends again, one at a time, the requests that were running when the event loop was blocked. Returns those
 * that block it alone.
 */
async function replaySpikes(field: AttackRun) {
  const { victim, plan, targets } = field;
  const long = victim.spikes.filter(({ own }) => own > LOOP_DELAY_MS);
  const numbers = new Set(
    long.flatMap(({ during }) => during).filter((name) => /^\d+$/.test(name)),
  );
  const culprits: { shot: Shot; told: LoopReport }[] = [];
  for (const number of [...numbers].slice(0, 60).map(Number)) {
    const ground = groundFor(buildShot(number, plan.seed, field.main, targets), field);
    const shot = buildShot(number, plan.seed, ground, targets);
    await victim.report();
    await sendShot(shot, ground, victim.port);
    const told = await victim.report();
    if (told.own > LOOP_DELAY_MS / 2) culprits.push({ shot, told });
  }
  return culprits.toSorted((one, other) => other.told.own - one.told.own);
}

export const spikesAbove = (spikes: readonly Spike[]) =>
  spikes.filter(({ own }) => own > LOOP_DELAY_MS);

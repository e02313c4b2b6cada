import { spawn } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../workers/processes/free-port.ts';
import { findMismatch, newMemory, type Memory } from './guide-answers.ts';

/**
 * Reads and runs the guides in templates/guides. A guide contains fenced blocks of these kinds:
 *
 * - `bash`: commands, run by bash. Variables, functions and background processes last until the end of the
 *   guide.
 * - `json` or `text` directly after commands: everything that the commands print. Commands without such a
 *   block print nothing.
 * - a language with a file name, such as `ts receiver.ts`: a file that the reader saves before going on.
 *
 * In an answer, `…` stands for any text, as a line of its own for any lines, as a JSON value for any value, as
 * the last item of a list for more items, and as a field (`"…": "…"`) for more fields. Ids and timestamps are
 * examples: the same id must stand for the same id throughout a guide. Dates and amounts are exact.
 */
export type GuideStep = { line: number; commands: string; answer: GuideAnswer | null };
export type GuideAnswer = { language: 'json' | 'text'; line: number; text: string };
type GuideFile = { line: number; name: string; text: string };
export type Guide = {
  title: string;
  parts: (GuideStep | GuideFile)[];
  problems: string[];
};

const FILE_LANGUAGES = ['ts', 'js', 'python', 'go', 'java', 'csv', 'json', 'yaml', 'text'];
const FENCE = /^```(.*)$/;

type Block = { language: string; name: string; line: number; text: string; isNextTo: boolean };

/** Returns the blocks in order. `isNextTo`: only blank lines separate the block from the previous one. */
function blocksOf(lines: readonly string[], problems: string[]): Block[] {
  const blocks: Block[] = [];
  let isNextTo = false;
  for (let index = 0; index < lines.length; index += 1) {
    const fence = FENCE.exec(lines[index] ?? '');
    if (fence === null) {
      if ((lines[index] ?? '').trim() !== '') isNextTo = false;
      continue;
    }
    const end = lines.indexOf('```', index + 1);
    if (end < 0) problems.push(`line ${index + 1}: the block does not end`);
    const last = end < 0 ? lines.length : end;
    const [language = '', name = ''] = (fence[1] ?? '').trim().split(/\s+/);
    const text = lines.slice(index + 1, last).join('\n');
    blocks.push({ language, name, line: index + 1, text, isNextTo });
    isNextTo = true;
    index = last;
  }
  return blocks;
}

export function parseGuide(text: string): Guide {
  const lines = text.split('\n');
  const problems: string[] = [];
  const title = /^# (.+)$/.exec(lines[0] ?? '')?.[1] ?? '';
  if (title === '') problems.push('line 1: a guide begins with its title (# Title)');
  const parts: Guide['parts'] = [];
  for (const { language, name, line, text: content, isNextTo } of blocksOf(lines, problems)) {
    const previous = parts.at(-1);
    const isAnswerable = isNextTo && previous && 'commands' in previous && !previous.answer;
    if (name !== '') {
      if (!FILE_LANGUAGES.includes(language) || !/^[\w-]+(\.[\w-]+)+$/.test(name))
        problems.push(`line ${line}: ${language} ${name} is not a file that a reader could save`);
      parts.push({ line, name, text: `${content}\n` });
    } else if (language === 'bash') {
      parts.push({ line, commands: content, answer: null });
    } else if (language !== 'json' && language !== 'text') {
      problems.push(`line ${line}: nothing checks a block of the language "${language}"`);
    } else if (isAnswerable) {
      previous.answer = { language, line, text: content };
    } else {
      problems.push(`line ${line}: an answer must follow its commands directly`);
    }
  }
  return { title, parts, problems };
}

/** What readers replace by the address of their own tenant. */
const ADDRESS = 'localhost:3000';
const REPOSITORY = new URL('../..', import.meta.url).pathname;
/** The port of the receiver that a guide starts. */
const RECEIVER_PORT = '4443';
/** A guide that waits longer hangs. */
const TIME_OUT_MS = 280_000;

type Place = { port: number; env?: Record<string, string>; isExact?: boolean };

/**
 * Runs a guide as one bash script, in a folder that looks like the repository. Returns a sentence for each
 * wrong answer.
 */
export async function runGuide(
  { parts }: Guide,
  { port, env = {}, isExact = true }: Place,
): Promise<string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'guide-'));
  const receiverPort = await freePort('127.0.0.1');
  const local = (text: string) =>
    text.replaceAll(ADDRESS, `localhost:${port}`).replaceAll(RECEIVER_PORT, String(receiverPort));
  const mark = `--- ${path.basename(folder)}`;
  const reader = path.join(folder, 'reader');
  mkdirSync(reader);
  mkdirSync(path.join(folder, 'temporary'));
  for (const name of readdirSync(REPOSITORY).filter((entry) => !entry.startsWith('.')))
    symlinkSync(path.join(REPOSITORY, name), path.join(reader, name));
  const script = parts.map((part, index) => {
    const run =
      'name' in part
        ? `cp ${folder}/file-${index} ${part.name}`
        : // Sourced, so that a mistake in one block leaves the other blocks alone.
          `. ${folder}/block-${index}`;
    const [file, text] =
      'name' in part ? [`file-${index}`, part.text] : [`block-${index}`, part.commands];
    writeFileSync(path.join(folder, file), local(text));
    return `${run}\nprintf '\\n%s\\n' '${mark}'`;
  });
  writeFileSync(path.join(folder, 'script'), ['exec 2>&1', ...script].join('\n'));
  try {
    const printed = await runBash(path.join(folder, 'script'), reader, env);
    const outputs = printed.split(`\n${mark}\n`);
    const memory = newMemory(isExact);
    const problems = parts.flatMap((part, index) =>
      'name' in part ? [] : problemOf(part, outputs[index] ?? 'It did not run.', memory, local),
    );
    const saved = parts.flatMap((part) => ('name' in part ? [part.name] : []));
    const written = filesIn(reader).filter((name) => !saved.includes(name));
    return [...problems, ...written.map((name) => `It leaves ${name} in the repository.`)];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What a guide has written into the folder of the repository, where Git would list it. */
const filesIn = (reader: string) =>
  readdirSync(reader).filter(
    // Git ignores `.data`.
    (name) => !name.startsWith('.') && !lstatSync(path.join(reader, name)).isSymbolicLink(),
  );

function problemOf(
  { line, commands, answer }: GuideStep,
  output: string,
  memory: Memory,
  local: (text: string) => string,
): string[] {
  const wanted = answer === null ? null : { ...answer, text: local(answer.text) };
  const mismatch = findMismatch(wanted, output, memory);
  return mismatch === null
    ? []
    : [`line ${line}: ${mismatch}\n\n${commands}\n\nprinted:\n${output}`];
}

function runBash(script: string, cwd: string, env: Record<string, string>): Promise<string> {
  // A group of its own, so that the guide's background processes end with it.
  const child = spawn('bash', ['--noprofile', '--norc', script], {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: cwd,
      TMPDIR: path.join(cwd, '../temporary'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const endGroup = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All of its processes have ended.
    }
  };
  let printed = '';
  const keep = (chunk: Buffer) => void (printed += chunk.toString());
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const timeOut = setTimeout(endGroup, TIME_OUT_MS);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', endGroup);
    child.once('close', () => {
      clearTimeout(timeOut);
      resolve(printed);
    });
  });
}

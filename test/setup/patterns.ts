import { analyse, type Literal } from 'scslre';
import { parseAst } from 'vitest/node';
import type { Source } from './sources.ts';

export type Pattern = Literal & { file: string; as_written: string };
type Node = { type?: string; [name: string]: unknown };

/** Every regular expression literal, and the files that construct regular expressions. */
export function patternsIn(sources: readonly Source[]): { patterns: Pattern[]; made: string[] } {
  const patterns: Pattern[] = [];
  const made: string[] = [];
  for (const { file, text } of sources) {
    for (const node of nodesIn(parseAst(text, { lang: 'ts' }))) {
      const regex = node['regex'] as { pattern: string; flags: string } | null | undefined;
      if (node.type === 'Literal' && regex) {
        const { pattern: source, flags } = regex;
        patterns.push({ file, source, flags, as_written: `/${source}/${flags}` });
      }
      const callee = node['callee'] as Node | undefined;
      if (callee?.type === 'Identifier' && callee['name'] === 'RegExp') made.push(file);
    }
  }
  return { patterns, made };
}

function* nodesIn(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) yield* nodesIn(item);
    return;
  }
  yield value as Node;
  for (const inner of Object.values(value)) yield* nodesIn(inner);
}

/** Why a pattern can be slow: the kind of backtracking and the repeated character that triggers it. */
export const slowPatternCauses = (pattern: Literal): string[] =>
  analyse(pattern).reports.map(({ type, exponential, character }) =>
    [exponential ? 'exponential' : 'super-linear', type, character.literal.source].join(' '),
  );

type Element = { type: string; raw: string; [name: string]: unknown };
type Alternative = { elements: Element[] };

/**
 * Words that match the start of the pattern, or of a part of it. Repeated, they make the pattern restart
 * many times. The analysis above repeats only single characters.
 */
export function slowInputCandidates(pattern: Literal): string[] {
  const words = new Set<string>();
  // Without an unbounded repetition, each start costs the same.
  if (!/[*+]|,\}/.test(pattern.source)) return [];
  const visit = (alternatives: readonly Alternative[], before: string): void => {
    for (const { elements } of alternatives) {
      let word = '';
      for (const element of elements) {
        const inner = partsOf(element);
        if (inner) visit(inner, before + word);
        word += sample(element, pattern.flags);
        if (word !== '') words.add(word).add(before + word);
      }
    }
  };
  visit(analyse(pattern, { maxReports: 0 }).parsed.pattern.alternatives as never, '');
  return [...words];
}

function partsOf(element: Element): readonly Alternative[] | undefined {
  const within = element.type === 'Quantifier' ? (element['element'] as Element) : element;
  return within['alternatives'] as readonly Alternative[] | undefined;
}

const LETTERS = Array.from('a0A -_.,:;<>/\\\'"=#@{}[]()|+*&%$!?~^`\n\t\r\u00a0é😀');

/** A short text that the element probably matches. */
function sample(element: Element, flags: string): string {
  if (element.type === 'Assertion' || element.type === 'Backreference') return '';
  if (element.type === 'Quantifier') {
    const {
      element: inner,
      min,
      max,
    } = element as unknown as {
      element: Element;
      min: number;
      max: number;
    };
    return sample(inner, flags).repeat(Math.min(Math.max(min, 1), max));
  }
  const [first] = partsOf(element) ?? [];
  if (first) return first.elements.map((part) => sample(part, flags)).join('');
  if (element.type === 'Character') return String.fromCodePoint(element['value'] as number);
  const fits = new RegExp(`^(?:${element.raw})$`, flags.replace(/[gy]/g, ''));
  return LETTERS.find((letter) => fits.test(letter)) ?? '';
}

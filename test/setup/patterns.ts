import { analyse, type Literal } from 'scslre';
import { parseAst } from 'vitest/node';
import type { Source } from './sources.ts';

export type Pattern = Literal & { file: string; as_written: string };
type Node = { type?: string; [name: string]: unknown };

/** Every pattern that is written as a literal, and every place where one is put together. */
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

/** What the analysis finds: how often one letter must come to make the pattern slow. */
export const slowPatternCauses = (pattern: Literal): string[] =>
  analyse(pattern).reports.map(({ type, exponential, character }) =>
    [exponential ? 'exponential' : 'super-linear', type, character.literal.source].join(' '),
  );

type Element = { type: string; raw: string; [name: string]: unknown };
type Alternative = { elements: Element[] };

/**
 * Words that begin as the pattern begins, or a part of it, and so make it start again and again when
 * they are repeated. The analysis above repeats single letters only.
 */
export function slowInputCandidates(pattern: Literal): string[] {
  const words = new Set<string>();
  // Without anything that is repeated at will, each beginning costs the same.
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

/** A short text that the element fits, as far as it can be guessed. */
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

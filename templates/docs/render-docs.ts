import { readdirSync, readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import { withBaseStyle } from '../with-base-style.ts';

const FOLDER = new URL('./pages/', import.meta.url);
const engine = Handlebars.create();
let templates: Map<string, HandlebarsTemplateDelegate> | undefined;

/** Renders a page of the API documentation. All values are escaped, except rendered Markdown. */
export function renderDocs(name: string, data: Record<string, unknown>): string {
  templates ??= readTemplates();
  const template = templates.get(name);
  if (!template) throw new Error(`There is no page ${name}.`);
  return template(data);
}

/** The scripts of the pages. */
export const docsScript = (file: 'docs.js' | 'operation.js') => docsFile(file);

export const docsStyle = () => withBaseStyle(docsFile('docs.css'));

const docsFile = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');

function readTemplates() {
  engine.registerHelper('same', (value: unknown, other: unknown) => value === other);
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.html'));
  const named = files.map((file) => [file.slice(0, -'.html'.length), textOf(file)] as const);
  for (const [name, text] of named) engine.registerPartial(name, text);
  return new Map(named.map(([name, text]) => [name, engine.compile(text)]));
}

const textOf = (file: string) => readFileSync(new URL(file, FOLDER), 'utf8');

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Route } from './route.ts';

export type DeclarationSite = { file: string; line: number };
type SourceFile = { file: string; lines: string[] };

const ROOT = path.join(import.meta.dirname, '../..');
/** These folders hold shared code and declare no endpoints. */
const MACHINERY = ['api/endpoints/', 'api/http/'];
/** The code that starts the declaration of an action or a child resource. */
const DECLARATION_START = /\b(nested\(|action\(|child: )/;

/**
 * Finds the file and line that declare each endpoint by reading the source. It looks for the line with the
 * whole path, then for the line that names the endpoint within its resource, then for the resource's path.
 * Used by `npm run routes` and tests only, never while the API runs.
 */
export function findDeclarationSites(routes: readonly Route[]): Map<Route, DeclarationSite> {
  const texts = readSources('api');
  return new Map(routes.map((route) => [route, findSite(route, texts)]));
}

function readSources(folder: string): SourceFile[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name.replaceAll(path.sep, '/')}`)
    .filter((file) => !MACHINERY.some((place) => file.startsWith(place)))
    .map((file) => ({ file, lines: readFileSync(path.join(ROOT, file), 'utf8').split('\n') }));
}

function findSite(route: Route, texts: readonly SourceFile[]): DeclarationSite {
  const place =
    findLine(
      texts,
      (line, text, at) =>
        matchesWholePath(line, route.path) && matchesMethod(route, text.lines, at),
    ) ?? findResourceSite(route, texts);
  if (!place) throw new Error(`Nothing declares ${route.method} ${route.path}.`);
  return place;
}

function findLine(
  texts: readonly SourceFile[],
  isIt: (line: string, text: SourceFile, at: number) => boolean,
): DeclarationSite | undefined {
  for (const text of texts) {
    const at = text.lines.findIndex((line, index) => isIt(line, text, index));
    if (at >= 0) return { file: text.file, line: at + 1 };
  }
  return undefined;
}

/** A path may contain an interpolation, such as `/inbound/${from}`. */
function matchesWholePath(line: string, wanted: string): boolean {
  const [, , written] = /\bpath: (['`])(\/[^'`]*)\1/.exec(line) ?? [];
  if (written === undefined) return false;
  const parts = written.split('/');
  const others = wanted.split('/');
  return (
    parts.length === others.length &&
    parts.every((part, index) => part === others[index] || part.startsWith('${'))
  );
}

/** Two endpoints may share a path. The nearest line that names a method decides between them. */
function matchesMethod({ method }: Route, lines: readonly string[], at: number): boolean {
  for (const distance of [1, 2, 3])
    for (const line of [lines[at - distance], lines[at + distance]]) {
      const [, named] = /\bmethod: '(\w+)'/.exec(line ?? '') ?? [];
      if (named !== undefined) return named === method;
    }
  return true;
}

/** `/liens/{id}/release` is declared on the line that names `release` in the file with `path: 'liens'`. */
function findResourceSite(route: Route, texts: readonly SourceFile[]): DeclarationSite | undefined {
  const [collection = '', name] = route.path.slice(1).split(/\/\{id\}\/?/);
  const declared = findLine(texts, (line) => line.includes(` path: '${collection}',`));
  if (!declared || !name) return declared;
  const own = texts.filter(({ file }) => file === declared.file);
  // A long declaration keeps its actions and child resources in other files of the same folder.
  const inSameFolder = texts.filter(
    ({ file }) => path.dirname(file) === path.dirname(declared.file),
  );
  const isNamed = (line: string, { lines }: SourceFile, at: number) =>
    (line.includes(` ${name}: `) || line.includes(` '${name}': `)) &&
    DECLARATION_START.test(line + (lines[at + 1] ?? ''));
  return findLine(own, isNamed) ?? findLine(inSameFolder, isNamed) ?? declared;
}

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = new URL('../..', import.meta.url).pathname;
const FOLDERS = ['api', 'jobs', 'sql', 'templates', 'test', 'workers'] as const;
export type Folder = (typeof FOLDERS)[number];

export type Import = {
  /** A file's path from the root, or the name of a package. */
  target: string;
  is_ours: boolean;
  /** A type import, which leaves nothing behind at run time. */
  is_type: boolean;
  /** An `import()` that runs only when it is reached. */
  is_late: boolean;
  as_written: string;
};

export type Source = {
  /** Relative to the root, such as jobs/loans/engine/fold.ts. */
  file: string;
  folder: Folder;
  /** The area of jobs/loans/engine/fold.ts is loans. A file at the top of a folder has none. */
  area: string | null;
  text: string;
  lines: string[];
  /** The text without comments. */
  code: string;
  imports: Import[];
};

const NOT_OURS = new Set(['node_modules', 'dist']);

/** Every file below a folder, except installed packages and files written by a run. */
function filesBelow(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isSymbolicLink()) return [];
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : filesBelow(file);
    return [file];
  });
}

/** Every text file of the repository by its path. */
export function repositoryTexts(): Map<string, string> {
  const top = readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== '.git')
    .map((entry) => entry.name);
  const files = [...top, ...FOLDERS.flatMap(filesBelow), ...filesBelow('.ci')];
  return new Map(files.map((file) => [file, readFileSync(path.join(ROOT, file), 'utf8')]));
}

export function sourcesIn(texts: ReadonlyMap<string, string>): Source[] {
  return [...texts]
    .filter(([file]) => file.endsWith('.ts') && file.includes('/'))
    .map(([file, text]) => {
      const [folder = '', area = ''] = file.split('/');
      return {
        file,
        folder: folder as Folder,
        area: file.split('/').length > 2 ? area : null,
        text,
        lines: text.trimEnd().split('\n'),
        code: withoutComments(text),
        imports: importsOf(file, text),
      };
    });
}

const withoutComments = (text: string) =>
  text.replace(/^[ \t]*\/\*\*?[\s\S]*?\*\/|^[ \t]*\/\/.*$/gm, '');

const STATIC_IMPORT = /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;
const DYNAMIC_IMPORT = /\bimport\(\s*'([^']+)'/g;

function importsOf(file: string, text: string): Import[] {
  const importOf = (as_written: string, is_type: boolean, is_late: boolean): Import => {
    const is_ours = as_written.startsWith('.');
    const target = is_ours ? path.join(path.dirname(file), as_written) : packageOf(as_written);
    return { target, is_ours, is_type, is_late, as_written };
  };
  return [
    ...[...text.matchAll(STATIC_IMPORT)].map(([, type, name = '']) =>
      importOf(name, type !== undefined, false),
    ),
    ...[...text.matchAll(DYNAMIC_IMPORT)].map(([, name = '']) => importOf(name, false, true)),
  ];
}

function packageOf(name: string): string {
  if (name.startsWith('node:')) return name;
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { withBaseStyle } from '../with-base-style.ts';

export type Asset = { name: string; type: string; text: string };

let readAsset: { style: Asset; script: Asset } | undefined;

/** The style sheet and script of the /ops pages. Their names contain a hash of their contents. */
export function opsAssets() {
  readAsset ??= {
    style: assetOf('style', '.css', 'text/css', withBaseStyle(textOf('ops.css'))),
    script: assetOf('live', '.js', 'text/javascript', textOf('live.js')),
  };
  return readAsset;
}

const textOf = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');

function assetOf(called: string, extension: string, type: string, text: string): Asset {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return { name: `${called}-${hash}${extension}`, type, text };
}

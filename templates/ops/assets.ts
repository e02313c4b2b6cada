import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export type Asset = { name: string; type: string; text: string };

let readAsset: { style: Asset; script: Asset } | undefined;

/** The style sheet and script of the /ops pages. Their names contain a hash of their contents. */
export function opsAssets() {
  readAsset ??= {
    style: assetOf('ops.css', 'style', 'text/css'),
    script: assetOf('live.js', 'live', 'text/javascript'),
  };
  return readAsset;
}

function assetOf(file: string, called: string, type: string): Asset {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return { name: `${called}-${hash}${file.slice(file.lastIndexOf('.'))}`, type, text };
}

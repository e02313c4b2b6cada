import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { withBaseStyle } from '../with-base-style.ts';

type Colors = { primary_color: string; secondary_color: string };

const CACHED_MAX = 200;
const stylesheetCache = new Map<string, { name: string; text: string }>();
let commonRules: string | undefined;

/** The portal's style sheet with a tenant's colors. Its name contains a hash of its contents. */
export function tenantStylesheet({ primary_color, secondary_color }: Colors) {
  const colors = `${primary_color} ${secondary_color}`;
  const known = stylesheetCache.get(colors);
  if (known) return known;
  commonRules ??= readFileSync(new URL('./portal.css', import.meta.url), 'utf8');
  const brand = colorOf(primary_color, '#1f3a5f');
  const accent = colorOf(secondary_color, '#5f7d9c');
  const tenantColors = `:root{--brand:${brand};--on-brand:${inkOn(brand)};--ink:${darkenUntilReadable(brand)};--accent:${accent}}\n`;
  const text = withBaseStyle(`${tenantColors}${commonRules}`);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const made = { name: `style-${hash}.css`, text };
  if (stylesheetCache.size >= CACHED_MAX) stylesheetCache.clear();
  stylesheetCache.set(colors, made);
  return made;
}

const colorOf = (color: string, otherwise: string) =>
  /^#[0-9a-f]{6}$/i.test(color) ? color.toLowerCase() : otherwise;

const channelsOf = (color: string) =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

/** WCAG 2.2, relative luminance. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2.2, contrast ratio. Text needs 4.5 against its background. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const inkOn = (color: string) =>
  contrast('#ffffff', color) >= contrast('#111111', color) ? '#ffffff' : '#111111';

/** The light grey background of links and headings. */
const PAGE_BACKGROUND = '#f4f6f8';
const CONTRAST_MIN = 4.6;

/** Darkens the color until it is readable on the page background. */
function darkenUntilReadable(color: string): string {
  for (let shade = color; ; shade = darker(shade)) {
    if (contrast(shade, PAGE_BACKGROUND) >= CONTRAST_MIN) return shade;
  }
}

const darker = (color: string) =>
  `#${channelsOf(color)
    .map((channel) =>
      Math.floor(channel * 0.92)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;

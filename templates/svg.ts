import sanitizeHtml from 'sanitize-html';

const TAGS =
  'svg g defs title desc path rect circle ellipse line polyline polygon text tspan linearGradient radialGradient ' +
  'stop clipPath';
/**
 * Shapes, colors and positions only. No attribute may reference another file, run code, animate or repeat
 * shapes.
 */
const ATTRIBUTES =
  'id class viewBox preserveAspectRatio width height x y x1 y1 x2 y2 cx cy r rx ry fx fy d points transform ' +
  'fill fill-rule fill-opacity clip-rule clip-path clipPathUnits opacity stroke stroke-width stroke-linecap ' +
  'stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset stroke-opacity offset stop-color ' +
  'stop-opacity gradientUnits gradientTransform spreadMethod font-family font-size font-weight font-style ' +
  'text-anchor letter-spacing dx dy';
const KNOWN = new Set(ATTRIBUTES.split(' '));
/** Removing these tags would change the picture, so such a file is refused. */
const SHAPING = /<(style|use|image|symbol|pattern|mask|filter)[\s/>]/i;
const DEPTH_MAX = 50;
const TAGS_MAX = 5_000;
/**
 * A typical logo has a tenth of this. Arcs of this length take about a second to print and add 5 MB to each
 * letter.
 */
const CHARACTERS_MAX = 50_000;
/** Each clip draws its whole shape again. */
const CLIPS_MAX = 50;

/**
 * Reduces an SVG to harmless shapes, or says why this is not possible. The result is only shown as a
 * picture, where browsers run no scripts and load no files.
 */
export function safeSvg(text: string): { text: string } | { problem: string } {
  const shaping = SHAPING.exec(text);
  if (shaping)
    return {
      problem: `Its SVG has <${shaping[1]?.toLowerCase()}>: save it as plain shapes, with their colours as attributes.`,
    };
  if (text.split('<', TAGS_MAX + 2).length > TAGS_MAX + 1)
    return { problem: `Its SVG has more than ${TAGS_MAX} tags.` };
  // Skips declarations before the root element, such as entities and style sheets.
  const clean = sanitizeHtml(text.slice(text.search(/<svg[\s>]/)), RULES).trim();
  const drawn = /^<svg[ >]/.test(clean) && /<(path|rect|circle|ellipse|line|poly|text)/.test(clean);
  if (!drawn) return { problem: 'Its SVG draws nothing.' };
  const problem = costReason(clean);
  if (problem) return { problem };
  return { text: clean.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"') };
}

/** Says why the SVG would be too slow to print. A few characters can draw for minutes. */
function costReason(clean: string): string | null {
  if (clean.length > CHARACTERS_MAX)
    return `Its SVG has more than ${CHARACTERS_MAX / 1_000} kB of shapes: simplify it, or save it as a PNG.`;
  if (/ stroke-dasharray="(?!(none|0)")/.test(clean))
    return 'Its SVG has dashed lines: save them as plain shapes.';
  let [clips, depth] = [0, 0];
  for (const [token] of clean.matchAll(/<\/?clipPath|clip-path=/g)) {
    if (token === '<clipPath') depth += 1;
    else if (token === '</clipPath') depth -= 1;
    // Three nested levels of ten clips each draw a thousand shapes.
    else if (depth > 0) return 'Its SVG has a clip within a clip: save it as plain shapes.';
    else clips += 1;
  }
  return clips > CLIPS_MAX ? `Its SVG has more than ${CLIPS_MAX} clips.` : null;
}

const RULES: sanitizeHtml.IOptions = {
  allowedTags: TAGS.split(' '),
  // `known` below selects the attributes.
  allowedAttributes: false,
  transformTags: { '*': (tagName, given) => ({ tagName, attribs: knownAttributes(given) }) },
  nonTextTags: ['script', 'style', 'foreignObject', 'animate', 'set', 'metadata', 'title', 'desc'],
  parseStyleAttributes: false,
  nestingLimit: DEPTH_MAX,
  parser: { xmlMode: true, lowerCaseTags: false, lowerCaseAttributeNames: false },
};

function knownAttributes(given: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
  const plain = Object.entries({ ...given, ...styleToAttributes(given['style']) }).filter(
    ([name, value]) => KNOWN.has(name) && !/[<>&\\]|:|url\((?!#[\w-]+\))/i.test(value),
  );
  return Object.fromEntries(plain);
}

/** Converts a drawing program's `style="fill:#a00;stroke:none"` to attributes. */
const styleToAttributes = (style = ''): sanitizeHtml.Attributes =>
  Object.fromEntries(
    style.split(';').map((declaration) => {
      const [name = '', ...value] = declaration.split(':');
      return [name.trim(), value.join(':').trim()];
    }),
  );

import { expect, test } from 'vitest';
import { generatedGuides } from '../../api/docs/generated-guides.ts';
import { operationLinks } from '../../api/docs/operation-links.ts';
import { routes } from '../../api/routes.ts';
import { readGuides, UNLISTED } from '../../templates/docs/guides.ts';
import { renderMarkdown } from '../../templates/docs/markdown.ts';
import { newStage } from '../setup/world.ts';

const guides = readGuides(generatedGuides, operationLinks(routes));

test.each(guides)('the guide $name has a title and a description', ({ title, description }) => {
  expect(title).not.toBe('');
  expect(description).toMatch(/\.$/);
  expect(description.length).toBeLessThan(400);
});

test('every guide has its place in the reading order', () => {
  expect(guides.filter(({ group }) => group === UNLISTED).map(({ name }) => name)).toEqual([]);
});

test('every link of a guide to these pages leads to a page and a section that exist', async () => {
  const stage = await newStage();
  const { anonymous } = await stage.tenant();
  const client = anonymous();
  const ids = new Map(
    guides.map(({ name, sections }) => [
      `/api/v1/docs/guides/${name}`,
      new Set(sections.map(({ id }) => id)),
    ]),
  );
  const missing: string[] = [];
  for (const { name, html } of guides) {
    for (const [, address = ''] of html.matchAll(/href="([/#][^"]*)"/g)) {
      const own = `/api/v1/docs/guides/${name}`;
      const [page = '', section = ''] = (address.startsWith('#') ? own + address : address).split(
        '#',
      );
      const { status } = await client.get(`/${page}`);
      const isThere =
        section === '' || (ids.get(page)?.has(section) ?? page.includes('/reference'));
      if (status !== 200 || !isThere) missing.push(`${name}: ${address}`);
    }
  }

  expect(missing).toEqual([]);
});

const rendered = renderMarkdown(
  [
    '# A <title>',
    '',
    'The *first* paragraph.',
    '',
    '## Ask & answer',
    '',
    'See [the payoff](payoff.md#quote) and `GET /loans/{loan_id}?sort=x`, not `GET /nothing`.',
    '',
    '## Ask & answer',
    '',
    '<script>alert(1)</script>',
    '',
    '```bash run.sh',
    'curl "$url" && echo <ok>',
    '```',
    '',
    '| a | b |',
    '| - | - |',
    '| 1 | `2` |',
  ].join('\n'),
  operationLinks(routes),
);

test('a guide is rendered with ids, languages and links to guides and operations', () => {
  expect(rendered.title).toBe('A <title>');
  expect(rendered.description).toBe('The first paragraph.');
  expect(rendered.sections.map(({ id }) => id)).toEqual(['', 'ask--answer', 'ask--answer-1']);
  expect(rendered.html).toContain('<h2 id="ask--answer">');
  expect(rendered.html).toContain('<h2 id="ask--answer-1">');
  expect(rendered.html).toContain('href="/api/v1/docs/guides/payoff#quote"');
  expect(rendered.html).toContain('getLoan"><code>GET /loans/{loan_id}?sort&#x3D;x</code></a>');
  expect(rendered.html).toContain('not <code>GET /nothing</code>');
  expect(rendered.html).toContain('<figcaption>run.sh</figcaption>');
  expect(rendered.html).toContain('<code class="language-bash">');
  expect(rendered.html).toContain('&amp;&amp; echo &lt;ok&gt;');
  expect(rendered.html).toContain('<td><code>2</code></td>');
  expect(rendered.html).not.toContain('<script>');
});

test('front matter may describe a guide', () => {
  const { title, description, html } = renderMarkdown(
    '---\ndescription: What it is for.\n---\n# Title\n\nText.\n',
  );

  expect({ title, description }).toEqual({ title: 'Title', description: 'What it is for.' });
  expect(html.trim()).toBe('<p>Text.</p>');
});

test('the search finds words in sections and code', () => {
  expect(rendered.sections.at(-1)).toMatchObject({
    title: 'Ask & answer',
    text: expect.stringContaining('curl "$url"'),
  });
  expect(rendered.sections[1]?.text).toContain('See the payoff and GET /loans');
});

import { describe, expect, it } from '@jest/globals';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { Markdown, splitSections } from './markdown.js';

const render = (text: string) => renderToStaticMarkup(createElement(Markdown, { text }));

describe('Markdown', () => {
  it.each([
    ['a `b<c`', '<p>a <code>b&lt;c</code></p>'],
    ['**a** [b](/c)', '<p><strong>a</strong> <a href="/c">b</a></p>'],
    ['- a\n  b\n- c', '<ul><li>a b</li><li>c</li></ul>'],
    ['3. a', '<ol start="3"><li>a</li></ol>'],
    ['```bash\na\n\n\nb\n```', '<div class="code"><pre><code>a\n\n\nb</code></pre></div>'],
    [
      '| a |\n| --- |\n| `b` |',
      '<table><thead><tr><th scope="col">a</th></tr></thead><tbody><tr><td><code>b</code></td></tr></tbody></table>',
    ],
  ])('%j', (text, html) => expect(render(text)).toBe(html));

  it('is split at headings', () =>
    expect(splitSections('Intro.\n\n## A b\n\nText.\n\n## C\n\nMore.')).toEqual({
      introduction: 'Intro.',
      sections: [
        { id: 'a-b', title: 'A b', text: 'Text.' },
        { id: 'c', title: 'C', text: 'More.' },
      ],
    }));
});

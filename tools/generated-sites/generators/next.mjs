import { logoSvg, pixelPng } from '../images.mjs';

/** A page in JavaScript without JSX, so that nothing but Next compiles it. */
const page = (title, links, more = '') => `import Link from 'next/link';
import { createElement as h } from 'react';

export const metadata = { title: ${JSON.stringify(title)} };

export default function Page() {
  const links = ${JSON.stringify(links)};
  return h('main', null, h('h1', null, ${JSON.stringify(title)}), h('img', { src: '/logo.svg', alt: '' }),${more}
    links.map((href) => h(Link, { href, key: href }, href)));
}
`;

/** The static export of Next with its default addresses: \`guide.html\` beside the folder \`guide\`. */
export const next = {
  packages: { next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' },
  version: ['next', '--version'],
  command: ['next', 'build'],
  output: 'out',
  // What the documentation of Next advises to look at an export with.
  previewPackages: { serve: '14.2.7' },
  preview: (port) => ['serve', '--no-clipboard', '--listen', `tcp://127.0.0.1:${port}`, 'out'],
  files: {
    'next.config.mjs': `export default { output: 'export', images: { unoptimized: true }, generateBuildId: () => 'acme' };
`,
    'public/logo.svg': logoSvg,
    'app/photo.png': pixelPng,
    'app/layout.js': `import { createElement as h } from 'react';
import './main.css';

export default function Layout({ children }) {
  return h('html', { lang: 'en' }, h('body', null, children));
}
`,
    'app/main.css': 'body {\n  background: url("./photo.png");\n}\n',
    'app/page.js': page('Acme', ['/guide', '/guide/install', '/guide/deep/notes', '/about', '/caf%C3%A9']),
    'app/about/page.js': page('About', ['/', '/guide/install#second'], ` h(Image, { src: photo, alt: '' }),`).replace(
      '\n',
      `\nimport Image from 'next/image';\nimport photo from '../photo.png';\n`,
    ),
    'app/café/page.js': page('Café', ['/', '/guide']),
    'app/guide/page.js': page('Guide', ['/guide/install', '/guide/deep/notes', '/']),
    'app/guide/install/page.js': page('Install', ['/guide', '/caf%C3%A9']),
    'app/guide/deep/notes/page.js': page('Notes', ['/guide', '/about']),
    'app/not-found.js': page('Nothing here', ['/']),
  },
};

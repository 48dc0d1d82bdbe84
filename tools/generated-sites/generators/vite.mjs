import { logoSvg, pixelPng } from '../images.mjs';

/** A single-page application built by Vite: every address that is no file shows `index.html`, here by its copy `200.html`. */
export const vite = {
  packages: { vite: '8.4.0' },
  version: ['vite', '--version'],
  command: ['vite', 'build', '--logLevel', 'warn'],
  output: 'dist',
  copies: { '200.html': 'index.html' },
  preview: (port) => ['vite', 'preview', '--host', '127.0.0.1', '--strictPort', '--port', `${port}`],
  files: {
    'index.html': `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Acme</title>
    <link rel="icon" type="image/svg+xml" href="/logo.svg" />
    <script type="module" src="/src/main.js"></script>
  </head>
  <body>
    <a href="/">Start</a> <a href="/settings/profile">Profile</a> <a href="/café">Café</a>
    <main></main>
  </body>
</html>
`,
    'public/logo.svg': logoSvg,
    'src/photo.png': Buffer.concat([pixelPng, Buffer.alloc(8_000)]),
    'src/main.css': 'body {\n  background: url("./photo.png");\n}\n',
    'src/main.js': `import './main.css';
import photo from './photo.png';

const show = async () => {
  const { profile } = await import('./profile.js');
  const texts = { '/settings/profile': profile };
  document.querySelector('main').innerHTML = \`<img src="\${photo}" alt="" /> \${texts[location.pathname] ?? 'Start'}\`;
};
addEventListener('popstate', show);
void show();
`,
    'src/profile.js': `import './profile.css';

export const profile = 'Profile';
`,
    'src/profile.css': 'main {\n  color: teal;\n}\n',
  },
};

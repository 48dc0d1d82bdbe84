import { logoSvg, pixelPng } from '../images.mjs';

const page = (title, text, more = '') => `---\ntitle: ${title}\n${more}---\n\n${text}\n`;

const head = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>{{ .Title }}</title>
    <link rel="canonical" href="{{ .Permalink }}" />
    {{ with .OutputFormats.Get "rss" }}<link rel="alternate" type="application/rss+xml" href="{{ .RelPermalink }}" />{{ end }}
    {{ with resources.Get "main.css" | fingerprint }}<link rel="stylesheet" href="{{ .RelPermalink }}" />{{ end }}
  </head>
`;

/** Hugo with its default addresses: a folder for each page; redirects of former addresses are pages, too. */
export const hugo = {
  program: 'hugo',
  version: ['hugo', 'version'],
  command: ['hugo', '--quiet'],
  output: 'public',
  preview: (port) => ['hugo', 'server', '--quiet', '--disableLiveReload', '--watch=false', '--port', `${port}`],
  files: {
    'config.toml': `baseURL = "https://hugo.test/"
languageCode = "en"
title = "Acme"
`,
    'static/img/logo.svg': logoSvg,
    'static/img/large.svg': logoSvg,
    'static/img/dots.svg': logoSvg,
    'assets/main.css': 'body { background: url("/img/dots.svg"); }\n',
    'layouts/_default/baseof.html': `${head}  <body>
    <a href="{{ "/" | relURL }}"><img src="{{ "img/logo.svg" | relURL }}" srcset="{{ "img/large.svg" | relURL }} 2x" alt="Acme" /></a>
    {{ block "main" . }}{{ end }}
  </body>
</html>
`,
    'layouts/_default/single.html': `{{ define "main" }}
<h1>{{ .Title }}</h1>
{{ .Content }}
{{ range .GetTerms "tags" }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}
{{ with .PrevInSection }}<a rel="prev" href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}
{{ end }}
`,
    'layouts/_default/list.html': `{{ define "main" }}
<h1>{{ .Title }}</h1>
{{ .Content }}
{{ range .Pages }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}
{{ end }}
`,
    'layouts/404.html': `{{ define "main" }}<h1>Nothing here</h1>{{ end }}
`,
    'content/_index.md': page('Acme', '[Guide](guide/), [notes](guide/deep/notes), [café](café/)'),
    'content/café.md': page('Café', '[Back](../) to [the guide]({{< ref "guide" >}})', 'tags: [Été, first]\n'),
    'content/guide/_index.md': page('Guide', '[Install](install/), [pictures](pictures#second)'),
    'content/guide/install.md': page(
      'Install',
      '[Up](../), [notes](../deep/notes/), [café](../../café/)',
      'aliases: [/setup/, /old/install]\ntags: [first]\n',
    ),
    'content/guide/release notes.md': page('Release notes', '[Install]({{< relref "install.md" >}})'),
    'content/guide/deep/notes.md': page('Notes', '[Up](../../), [start](../../../)'),
    'content/guide/pictures/index.md': page('Pictures', '![A photo](photo.png)\n\n## Second\n\n[Again](./)'),
    'content/guide/pictures/photo.png': pixelPng,
  },
};

import { logoSvg, pixelPng } from '../images.mjs';

/** A replacement for a font of the theme, which has 800 KB of them: files of `custom_dir` go before those of the theme. */
const fonts = [
  'FontAwesome.otf',
  ...['eot', 'svg', 'ttf', 'woff', 'woff2'].map((kind) => `fontawesome-webfont.${kind}`),
];

/** MkDocs with its default theme and its default addresses: a folder for each page, and relative links. */
export const mkdocs = {
  program: 'mkdocs',
  version: ['mkdocs', '--version'],
  command: ['mkdocs', 'build', '--quiet', '--strict'],
  output: 'site',
  preview: (port) => ['mkdocs', 'serve', '--quiet', '--no-livereload', '--dev-addr', `127.0.0.1:${port}`],
  files: {
    'mkdocs.yml': `site_name: Acme
site_url: https://mkdocs.test/
theme:
  name: mkdocs
  custom_dir: theme
  highlightjs: false
`,
    ...Object.fromEntries(fonts.map((name) => [`theme/fonts/${name}`, ''])),
    'docs/img/logo.svg': logoSvg,
    'docs/img/photo 1.png': pixelPng,
    'docs/index.md': `# Acme

![Logo](img/logo.svg) ![Photo](<img/photo 1.png>)

- [Guide](guide/index.md), [install](guide/install.md#second-step), [deep](guide/deep/notes.md)
- [Café](café.md) and [release notes](<guide/release notes.md>)
`,
    'docs/café.md': `# Café

![Logo](img/logo.svg) Back to [the start](index.md), on to [the guide](guide/index.md).
`,
    'docs/guide/index.md': `# Guide

![Logo](../img/logo.svg) [Install](install.md), then read [the notes](deep/notes.md), or go [back](../index.md).
`,
    'docs/guide/install.md': `# Install

## First step

![Photo](<../img/photo 1.png>) See [the guide](index.md).

## Second step

See [the café](../café.md).
`,
    'docs/guide/release notes.md': `# Release notes

See [the first step](install.md#first-step).
`,
    'docs/guide/deep/notes.md': `# Notes

![Logo](../../img/logo.svg) Up to [the guide](../index.md), or to [the start](../../index.md).
`,
  },
};

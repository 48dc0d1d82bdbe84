import { readFile } from 'node:fs/promises';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import type { Plugin } from 'vite';
import type { OpenApiDocument } from '../src/reference/openapi.js';

const PLACEHOLDER = '<!-- reference -->';

/** Writes the API reference into `reference.html`, from the committed OpenAPI description. */
export function renderReference(descriptionFile: string): Plugin {
  return {
    name: 'render-reference',
    transformIndexHtml: async (html) => {
      if (!html.includes(PLACEHOLDER)) return html;
      // Loaded when it is needed: tools that read the configuration alone load no pages.
      const { ReferencePage } = await import('../src/reference/reference-page.js');
      const description = JSON.parse(await readFile(descriptionFile, 'utf8')) as OpenApiDocument; // a test compares it with the API
      const page = renderToStaticMarkup(createElement(ReferencePage, { description }));
      return html.replace(PLACEHOLDER, () => page);
    },
  };
}

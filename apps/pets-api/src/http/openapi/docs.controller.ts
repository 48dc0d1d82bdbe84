import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Get, Header, Param, Res } from '@nestjs/common';
import { RequestError } from '@pets/platform';
import type { FastifyReply } from 'fastify';

/** Everything is loaded from this origin, without inline scripts or styles; `data:` is for icons in the style sheet. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const INITIALIZER = 'initializer.js';

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Pets: API reference</title>
<link rel="icon" href="/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<div id="reference"></div>
<noscript>The API reference requires JavaScript. <a href="/openapi.json">The OpenAPI description</a> does not.</noscript>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/assets/${INITIALIZER}"></script>
</html>
`;

/** The assets of the page with their types. The initializer is ours, the others are from Swagger UI. */
const files: Readonly<Record<string, string>> = {
  [INITIALIZER]: 'text/javascript; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const packageFolder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** The API reference: public, and loaded from this origin only. */
@Controller('docs')
export class DocsController {
  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', policy)
  read(): string {
    return page;
  }

  /** @throws RequestError `not_found` for everything that the page does not load */
  @Get('assets/:file')
  async asset(@Param('file') file: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<string | Buffer> {
    const type = Object.hasOwn(files, file) ? files[file] : undefined;
    if (type === undefined) throw new RequestError('not_found', 'There is nothing at this path.');
    reply.type(type).header('cache-control', 'public, max-age=3600');
    return file === INITIALIZER ? docsInitializer : readFile(join(packageFolder, file));
  }
}

/**
 * Starts Swagger UI. A plugin adds tag groups, which Swagger UI does not support. The page's policy allows no inline
 * script.
 */
const docsInitializer = `'use strict';
const groupHeadings = () => ({
  wrapComponents: {
    OperationTag: (Original, { React, specSelectors }) => (props) => {
      const groups = specSelectors.specJson().get('x-tagGroups');
      const group = groups && groups.find((each) => each.get('tags').first() === props.tag);
      const tag = React.createElement(Original, props);
      if (!group) return tag;
      return React.createElement(React.Fragment, null, React.createElement('h2', null, group.get('name')), tag);
    },
  },
});
window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  showExtensions: true,
  validatorUrl: null,
  plugins: [groupHeadings],
});
`;

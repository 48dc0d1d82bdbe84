import { createHash } from 'node:crypto';
import { Controller, Get, Header, Module } from '@nestjs/common';

const style =
  ':root { color-scheme: light dark } body { font: 1rem/1.5 system-ui; margin: 2rem; background: light-dark(#fff, #111) } a { color: light-dark(#1d4ed8, #93c5fd) }';
const styleHash = createHash('sha256').update(style).digest('base64');

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<style>${style}</style>
<title>Pets API</title>
<h1>Pets API</h1>
<ul>
<li><a href="/dashboard">Dashboard</a></li>
<li><a href="/docs">API reference</a></li>
<li><a href="/openapi.json">OpenAPI description</a></li>
</ul>
</html>
`;

@Controller()
class StartPageController {
  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', `default-src 'none'; style-src 'sha256-${styleHash}'`)
  readStartPage(): string {
    return page;
  }
}

/** `GET /` of a development server: where to go next. In other environments nothing is at this path. */
@Module({ controllers: [StartPageController] })
export class StartPageModule {}

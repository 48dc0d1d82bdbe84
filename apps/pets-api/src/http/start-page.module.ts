import { Controller, Get, Header, Module } from '@nestjs/common';

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
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
  @Header('content-security-policy', "default-src 'none'")
  read(): string {
    return page;
  }
}

/** `GET /` of a development server: where to go next. In other environments nothing is at this path. */
@Module({ controllers: [StartPageController] })
export class StartPageModule {}

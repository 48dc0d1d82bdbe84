/**
 * The dashboard in `npm run dev`: Vite with hot reloading. Everything that the page requests goes through it, so that page,
 * cookie and API have one origin, which pets-api knows as `DASHBOARD_ORIGIN`. Arguments: the port, and the URL of the API.
 */
import { createServer, type Plugin } from 'vite';
import { commonConfig } from './common-config.js';

const [port, apiUrl] = process.argv.slice(2);

/** The pages are at `/dashboard` and `/setup` too, as from pets-api; Vite has them below its base only. */
const publicPaths: Plugin = {
  name: 'public-paths',
  configureServer: ({ middlewares }) => {
    middlewares.use((request, _response, next) => {
      request.url = request.url
        ?.replace(/^\/dashboard(?=\?|$)/, '/dashboard/')
        .replace(/^\/setup(?=\?|$)/, '/dashboard/setup.html');
      next();
    });
  },
};

const server = await createServer({
  // That of the build imports pages, so an edit of one would start this server again.
  configFile: false,
  ...commonConfig,
  clearScreen: false,
  logLevel: 'warn',
  plugins: [publicPaths],
  server: {
    host: '127.0.0.1',
    port: Number(port),
    strictPort: true,
    proxy: { '^/(?:v1|dashboard/(?:session|sign-in))\\b': { target: apiUrl } },
  },
});
await server.listen();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void server.close().then(() => process.exit()));
}

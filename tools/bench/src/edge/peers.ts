import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '@pets/lab';
import { freePort } from '@pets/testing/processes';
import { BATCH, batchFolder, nameOf, pairPath } from './certificate-set.js';
import type { Contestant } from './contestant.js';
import { on, SERVER_PROCESSOR } from '../engine/processes.js';

/**
 * Debian's Caddy with certificates from folders, all of them in its memory, and its file server. It logs no requests
 * and issues no session tickets.
 */
export const caddy: Contestant = {
  name: 'caddy',
  mostNames: Infinity,
  start: async ({ set, folder, siteFolder }, names) => {
    const home = join(folder, 'caddy');
    await rm(home, { recursive: true, force: true });
    await mkdir(home, { recursive: true });
    const port = await freePort();
    const folders = Array.from({ length: Math.ceil(names / BATCH) }, (_, batch) =>
      batchFolder(set.folder, 'pairs', batch),
    );
    const path = join(home, 'caddy.json');
    await writeFile(path, JSON.stringify(caddyConfiguration({ port, home, siteFolder, folders })));
    const [command, args] = on(SERVER_PROCESSOR, ['caddy', 'run', '--config', path]);
    const env = { HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
    const child = run({ name: 'caddy', command, args: [...args], env });
    return { pid: child.pid, port, stop: () => child.stop().then(() => undefined) };
  },
};

interface Place {
  readonly port: number;
  readonly home: string;
  readonly siteFolder: string;
  readonly folders: readonly string[];
}

function caddyConfiguration({ port, home, siteFolder, folders }: Place) {
  const server = {
    listen: [`127.0.0.1:${port}`],
    protocols: ['h1', 'h2'],
    automatic_https: { disable: true },
    tls_connection_policies: [{ protocol_min: 'tls1.3' }],
    routes: [{ handle: [{ handler: 'file_server', root: siteFolder }] }],
  };
  return {
    admin: { disabled: true, config: { persist: false } },
    storage: { module: 'file_system', root: home },
    logging: { logs: { default: { level: 'ERROR' } } },
    apps: {
      http: { servers: { bench: server } },
      tls: {
        certificates: { load_folders: folders },
        session_tickets: { disabled: true },
        cache: { capacity: 2 * folders.length * BATCH }, // else it forgets all but ten thousand
      },
    },
  };
}

/** Debian's nginx, a `server` block for each name and one worker. It logs no requests and resumes no sessions. */
export const nginx: Contestant = {
  name: 'nginx',
  /** Each block costs memory for a TLS context of its own, whether it is asked for or not. */
  mostNames: 10_000,
  start: async ({ set, folder, siteFolder }, names) => {
    const home = join(folder, 'nginx');
    await rm(home, { recursive: true, force: true });
    await mkdir(home, { recursive: true });
    const port = await freePort();
    const servers = Array.from({ length: names }, (_, index) => {
      const pair = pairPath(set.folder, index);
      return `server { listen 127.0.0.1:${port} ssl http2; server_name ${nameOf(index)}; ssl_certificate ${pair}; ssl_certificate_key ${pair}; }`;
    });
    const path = join(home, 'nginx.conf');
    await writeFile(path, nginxConfiguration(home, siteFolder, servers));
    const [command, args] = on(SERVER_PROCESSOR, ['nginx', '-c', path, '-p', home, '-e', join(home, 'error.log')]);
    const child = run({ name: 'nginx', command, args: [...args] });
    return { pid: child.pid, port, stop: () => child.stop().then(() => undefined) };
  },
};

/** Returns a configuration that otherwise equals Debian's: sendfile and tcp_nopush. */
function nginxConfiguration(home: string, siteFolder: string, servers: readonly string[]): string {
  return `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${home}/nginx.pid;
error_log ${home}/error.log;
events { worker_connections 2048; }
http {
  types { text/html html; text/css css; text/javascript js; application/json json; image/svg+xml svg; image/png png; }
  access_log off;
  sendfile on;
  tcp_nopush on;
  client_body_temp_path ${home}/body;
  proxy_temp_path ${home}/proxy;
  fastcgi_temp_path ${home}/fastcgi;
  uwsgi_temp_path ${home}/uwsgi;
  scgi_temp_path ${home}/scgi;
  server_names_hash_max_size 262144;
  server_names_hash_bucket_size 128;
  keepalive_requests 1000000000;
  ssl_protocols TLSv1.3;
  ssl_session_cache off;
  ssl_session_tickets off;
  root ${siteFolder};
  ${servers.join('\n  ')}
}
`;
}

/** The minimum that a server on Node can do: the difference to our edge is our cost, the rest is the platform's. */
export const bareNode: Contestant = {
  name: 'node',
  mostNames: Infinity,
  start: async ({ set, siteFolder }) => {
    const port = await freePort();
    const program = fileURLToPath(new URL('bare-node-main.js', import.meta.url));
    const node = [process.execPath, program, String(port), set.folder, join(siteFolder, 'index.html')];
    const [command, args] = on(SERVER_PROCESSOR, node);
    const child = run({ name: 'node', command, args: [...args] });
    return { pid: child.pid, port, stop: () => child.stop().then(() => undefined) };
  },
};

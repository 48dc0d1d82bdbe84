import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@pets/lab';
import { freePort } from '@pets/testing/processes';
import { batchFolder, nameOf, pairPath } from '../edge/certificate-set.js';
import { on, SERVER_PROCESSOR } from '../engine/processes.js';
import { NAMES, type Forwarder } from './contestants.js';

/** Debian's Caddy with its reverse proxy as it is by default. It logs no requests. */
export const caddy: Forwarder = {
  name: 'caddy',
  start: async ({ set, folder }, { port: application }) => {
    const home = await emptyFolder(folder, 'caddy');
    const port = await freePort();
    const path = join(home, 'caddy.json');
    const upstreams = [{ dial: `127.0.0.1:${application}` }];
    const server = {
      listen: [`127.0.0.1:${port}`],
      protocols: ['h1', 'h2'],
      automatic_https: { disable: true },
      tls_connection_policies: [{ protocol_min: 'tls1.3' }],
      routes: [{ handle: [{ handler: 'reverse_proxy', upstreams }] }],
    };
    const configuration = {
      admin: { disabled: true, config: { persist: false } },
      storage: { module: 'file_system', root: home },
      logging: { logs: { default: { level: 'ERROR' } } },
      apps: {
        http: { servers: { bench: server } },
        tls: {
          certificates: { load_folders: [batchFolder(set.folder, 'pairs', 0)] },
          session_tickets: { disabled: true },
        },
      },
    };
    await writeFile(path, JSON.stringify(configuration));
    const [command, args] = on(SERVER_PROCESSOR, ['caddy', 'run', '--config', path]);
    const env = { HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
    const child = run({ name: 'caddy', command, args: [...args], env });
    return { pid: child.pid, port, stop: () => child.stop().then(() => undefined) };
  },
};

/** Debian's nginx with one worker, whose connections to the application stay open. It logs no requests. */
export const nginx: Forwarder = {
  name: 'nginx',
  start: async ({ set, folder }, { port: application }) => {
    const home = await emptyFolder(folder, 'nginx');
    const port = await freePort();
    const servers = Array.from({ length: NAMES }, (_, index) => {
      const pair = pairPath(set.folder, index);
      return `server { listen 127.0.0.1:${port} ssl http2; server_name ${nameOf(index)}; ssl_certificate ${pair}; ssl_certificate_key ${pair}; location / { proxy_pass http://application; } }`;
    });
    const path = join(home, 'nginx.conf');
    await writeFile(path, configurationOf(home, application, servers));
    const [command, args] = on(SERVER_PROCESSOR, ['nginx', '-c', path, '-p', home, '-e', join(home, 'error.log')]);
    const child = run({ name: 'nginx', command, args: [...args] });
    return { pid: child.pid, port, stop: () => child.stop().then(() => undefined) };
  },
};

function configurationOf(home: string, application: number, servers: readonly string[]): string {
  return `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${home}/nginx.pid;
error_log ${home}/error.log;
events { worker_connections 4096; }
http {
  access_log off;
  client_max_body_size 0;
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
  upstream application { server 127.0.0.1:${application}; keepalive 128; keepalive_requests 1000000000; }
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_set_header Host $host;
  ${servers.join('\n  ')}
}
`;
}

async function emptyFolder(folder: string, name: string): Promise<string> {
  const home = join(folder, name);
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  return home;
}

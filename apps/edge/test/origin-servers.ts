import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startServiceProcess, type ServiceProcess } from '@pets/testing';

/** The parts of a server: files, an application behind it, and one that is gone. */
export interface ServerPlace {
  /** Contains `cert.pem`, `key.pem`, `files` and what the server writes. */
  readonly folder: string;
  readonly port: number;
  readonly applicationPort: number;
  readonly deadPort: number;
}

/** Bytes of a body that `/limited` accepts. */
export const LIMITED_BYTES = 1_000_000;

/**
 * Servers that customers put in front of their applications. Each answers the same: `/host` with names of the request, `/app/…`
 * from the application, `/dead` from one that is gone, `/limited` with a limit of bodies, and everything else from files, with
 * gzip.
 */
export const originServers: Readonly<Record<'caddy' | 'nginx', (place: ServerPlace) => Promise<ServiceProcess>>> = {
  caddy: async (place) => {
    const { folder, port } = place;
    const path = join(folder, 'caddy.json');
    await writeFile(path, JSON.stringify(caddyConfiguration(place)));
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    return startServiceProcess({ name: 'caddy', command: 'caddy', args: ['run', '--config', path], env, port });
  },
  nginx: async (place) => {
    const { folder, port } = place;
    const path = join(folder, 'nginx.conf');
    await writeFile(path, nginxConfiguration(place));
    const env = { PATH: process.env['PATH'] ?? '' };
    const args = ['-c', path, '-p', folder, '-e', join(folder, 'error.log')];
    return startServiceProcess({ name: 'nginx', command: 'nginx', args, env, port });
  },
};

function caddyConfiguration({ folder, port, applicationPort, deadPort }: ServerPlace) {
  const text = '{http.request.host} {http.request.header.X-Forwarded-Host} {http.request.header.X-Forwarded-Proto}';
  const proxy = (toPort: number) => ({ handler: 'reverse_proxy', upstreams: [{ dial: `127.0.0.1:${toPort}` }] });
  const server = {
    listen: [`127.0.0.1:${port}`],
    automatic_https: { disable: true },
    tls_connection_policies: [{}],
    routes: [
      { match: [{ path: ['/host'] }], handle: [{ handler: 'static_response', body: text }] },
      { match: [{ path: ['/app/*'] }], handle: [{ ...proxy(applicationPort), flush_interval: -1 }] },
      { match: [{ path: ['/dead'] }], handle: [proxy(deadPort)] },
      {
        match: [{ path: ['/limited'] }],
        handle: [{ handler: 'request_body', max_size: LIMITED_BYTES }, proxy(applicationPort)],
      },
      {
        handle: [
          { handler: 'encode', encodings: { gzip: {} } },
          { handler: 'file_server', root: join(folder, 'files') },
        ],
      },
    ],
  };
  const files = [{ certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }];
  return {
    admin: { disabled: true, config: { persist: false } },
    storage: { module: 'file_system', root: folder },
    apps: { http: { servers: { origin: server } }, tls: { certificates: { load_files: files } } },
  };
}

function nginxConfiguration({ folder, port, applicationPort, deadPort }: ServerPlace): string {
  return `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 256; }
http {
  types { text/html html; }
  default_type application/octet-stream;
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  gzip on;
  gzip_proxied any;
  client_max_body_size 0;
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${folder}/cert.pem;
    ssl_certificate_key ${folder}/key.pem;
    root ${folder}/files;
    location = /host { return 200 "$host $http_x_forwarded_host $http_x_forwarded_proto"; }
    location = /dead { proxy_pass http://127.0.0.1:${deadPort}; }
    location = /limited { client_max_body_size ${LIMITED_BYTES}; proxy_pass http://127.0.0.1:${applicationPort}; }
    location /app/ {
      proxy_pass http://127.0.0.1:${applicationPort};
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $http_connection;
      proxy_buffering off;
      proxy_request_buffering off;
    }
  }
}
`;
}

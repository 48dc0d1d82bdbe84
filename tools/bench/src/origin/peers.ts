import { startCaddy, startNginx } from '../edge/peers.js';
import { NAMES, type Forwarder } from './contestants.js';

/** Debian's Caddy with its reverse proxy as it is by default. */
export const caddy: Forwarder = {
  name: 'caddy',
  start: (ground, { port }) =>
    startCaddy(ground, NAMES, { handler: 'reverse_proxy', upstreams: [{ dial: `127.0.0.1:${port}` }] }),
};

/** Debian's nginx, whose connections to the application stay open. */
export const nginx: Forwarder = {
  name: 'nginx',
  start: (ground, { port }) =>
    startNginx(ground, NAMES, {
      connections: 4096,
      directives: `
  client_max_body_size 0;
  upstream application { server 127.0.0.1:${port}; keepalive 128; keepalive_requests 1000000000; }
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_set_header Host $host;`,
      location: 'location / { proxy_pass http://application; }',
    }),
};

/**
 * The first service of docker-compose.yml: runs at every `docker compose up`, before all other services, then ends.
 *
 *   secrets        created at the first start and kept: passwords, tokens, the key-encryption key, the key of the ACME
 *                  account
 *   settings       derived from ENVIRONMENT at each start, so that one variable is enough
 *   certificates   for `*.<platform domain>`: created here in development; elsewhere yours, or none, and pets-api orders it
 *
 * Each process has a volume with only the secrets that it needs: it cannot leak a secret that it does not have. Shared
 * secrets are copied.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isUsable, makeDevelopmentCertificates } from './certificates.mjs';

const OWNER_MODE = 0o400;
/** Redis and Prometheus run as users of their own. Of Redis, only its container mounts the folder. */
const READABLE_MODE = 0o444;

/** Settings derived from the environment. A value in `.env` takes precedence. */
const settings = {
  production: {
    'acme-directory-urls': 'https://acme-v02.api.letsencrypt.org/directory',
    'allow-special-use-names': 'false',
    'allow-private-webhook-targets': 'false',
    'http01-port': '80',
  },
  staging: {
    'acme-directory-urls': 'https://acme-staging-v02.api.letsencrypt.org/directory',
    'allow-special-use-names': 'false',
    'allow-private-webhook-targets': 'false',
    'http01-port': '80',
  },
  // Pebble and the development DNS server, on the network of the containers: the profile `dev`.
  development: {
    'acme-directory-urls': 'https://pebble:14000/dir',
    'allow-special-use-names': 'true',
    'allow-private-webhook-targets': 'true',
    'http01-port': '8080',
  },
};

const {
  ENVIRONMENT = '',
  PLATFORM_DOMAIN = '',
  PLATFORM_CERTIFICATE_FOLDER = '',
  DEVELOPMENT_DNS = '',
  DNS_RESOLVERS = '',
  ACME_DNS_ZONE = '',
  ACME_DNS_SERVER = '',
  ACME_DNS_TSIG_KEY = '',
  DATABASE_URL = '',
  REDIS_URL = '',
  POSTGRES_CONTAINERS = '1',
  REDIS_CONTAINERS = '1',
  POSTGRES_MEMORY = '',
  REDIS_MEMORY = '',
  EDGE_HTTPS_PORT = '',
  HAPROXY_ADDRESS = '',
  RUNBOOKS_URL = '',
  SECRETS_FOLDER = '/secrets',
} = process.env;
const folderOf = (owner) => join(SECRETS_FOLDER, owner);

const chosen = Object.hasOwn(settings, ENVIRONMENT) ? settings[ENVIRONMENT] : undefined;
if (chosen === undefined) fail(`ENVIRONMENT is ${ENVIRONMENT || 'empty'}: production, staging or development`);
if (REDIS_URL === 'redis://redis:6379')
  fail('REDIS_URL is the address of this stack’s Redis without its password: leave it empty');
for (const [name, containers, setting, url] of [
  ['PostgreSQL', POSTGRES_CONTAINERS, 'POSTGRES_CONTAINERS', DATABASE_URL && 'DATABASE_URL'],
  ['Redis', REDIS_CONTAINERS, 'REDIS_CONTAINERS', REDIS_URL && 'REDIS_URL'],
]) {
  if (containers !== '0' && containers !== '1') fail(`${setting} is ${containers}: 0 or 1`);
  if (containers === '0' && url === '') fail(`${setting} is 0, and no address names another ${name}`);
}
if (PLATFORM_DOMAIN === '') fail('PLATFORM_DOMAIN is empty');
/** Whether DNS is that of the profile `dev`, which holds every zone. */
const usesDevelopmentDns = ENVIRONMENT === 'development' && DNS_RESOLVERS === '';
makeSecrets();
writeSettings();
await provideCertificates(new Date());
writeAlerts();

/** Creates only missing secrets: another key cannot decrypt the stored certificates, another password cannot open the database. */
function makeSecrets() {
  const password = keep('database', 'password', () => randomBytes(24).toString('base64url'));
  for (const owner of ['api', 'backup']) put(owner, 'database-url', `postgres://pets:${password}@postgres:5432/pets`);
  keep('api', 'app-secret', () => randomBytes(48).toString('base64url'));
  const keys = keep('api', 'certificate-keks', () => `k1:${randomBytes(32).toString('base64')}`);
  put('edge', 'certificate-keks', keys);
  const token = keep('api', 'edge-token', () => randomBytes(32).toString('base64url'));
  put('edge', 'edge-token', token);
  const redisPassword = keep('redis', 'password', () => randomBytes(24).toString('base64url'), READABLE_MODE);
  put('redis', 'redis.conf', [`requirepass ${redisPassword}`, ...redisSettings()].join('\n'), READABLE_MODE);
  share('redis-url', `redis://:${redisPassword}@redis:6379`);
  for (const [name, id] of [
    ['queue-keys-jobs', 'j1'],
    ['queue-keys-events', 'e1'],
  ])
    share(
      name,
      keep('api', name, () => `${id}:${randomBytes(32).toString('base64')}`),
    );
  shareChallengeZone();
  keep('worker', 'acme-account-key.pem', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return privateKey.export({ type: 'pkcs8', format: 'pem' });
  });
}

/**
 * The zone of challenges is served by Knot of the profile `dns` if there is an ACME_DNS_ZONE, and in development without one
 * by the development DNS server. Otherwise there is none, and the worker has neither address nor key.
 */
function shareChallengeZone() {
  if (ACME_DNS_SERVER !== '' && ACME_DNS_TSIG_KEY === '')
    fail('ACME_DNS_SERVER is another name server than that of this stack: set ACME_DNS_TSIG_KEY to its key');
  const made = keep('knot', 'made-tsig-key', () => `pets-acme:${randomBytes(32).toString('base64')}`);
  put('knot', 'acme-dns-tsig-key', ACME_DNS_TSIG_KEY === '' ? made : ACME_DNS_TSIG_KEY);
  const isThere = usesDevelopmentDns && ACME_DNS_ZONE === '';
  const zone = isThere ? `acme.${PLATFORM_DOMAIN}` : ACME_DNS_ZONE;
  for (const owner of ['api', 'worker']) put(owner, 'acme-dns-zone', zone);
  put('worker', 'acme-dns-tsig-key', zone === '' ? '' : made);
  put('worker', 'acme-dns-server', isThere ? DEVELOPMENT_DNS : zone && 'knot:5353');
  put('dev-dns', 'acme-dns-zone', isThere ? zone : '');
  put('dev-dns', 'acme-dns-tsig-key', isThere ? made : '');
}

/**
 * Redis refuses writes at `maxmemory`, before the limit of its container ends it. A quarter is for the copy that a rewrite of
 * its file makes of changed pages, and for connections.
 */
function redisSettings() {
  return [`maxmemory ${Math.floor((megabytes('REDIS_MEMORY', REDIS_MEMORY) * 3) / 4)}mb`];
}

/** Options that PostgreSQL's documentation recommends for a machine of this size; its defaults are for 512 MB. */
function postgresOptions() {
  const memory = megabytes('POSTGRES_MEMORY', POSTGRES_MEMORY);
  const settings = {
    shared_buffers: Math.floor(memory / 4),
    effective_cache_size: Math.floor(memory / 2),
    maintenance_work_mem: Math.max(64, Math.floor(memory / 16)),
  };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}MB`)
    .join(' ');
}

/** @param text as Compose takes it: a number and b, k, m or g */
function megabytes(name, text) {
  const [, number = '', unit = 'b'] = /^(\d+)\s?([bkmg])?b?$/i.exec(text) ?? [];
  const bytes = Number(number || Number.NaN) * { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }[unit.toLowerCase()];
  if (!(bytes >= 64 * 1024 ** 2)) fail(`${name} is ${text || 'empty'}: at least 64m, such as 512m or 2g`);
  return Math.floor(bytes / 1024 ** 2);
}

function share(name, value) {
  for (const owner of ['api', 'worker']) put(owner, name, value);
}

function writeSettings() {
  for (const owner of ['api', 'worker']) {
    for (const [name, value] of Object.entries(chosen)) put(owner, name, value);
  }
  put('database', 'options', postgresOptions());
  put('edge', 'trusted-proxies', HAPROXY_ADDRESS);
  // The setting is a port, or an address and a port.
  for (const owner of ['api', 'edge']) put(owner, 'public-https-port', EDGE_HTTPS_PORT.split(':').at(-1));
  // Without resolvers, the worker uses those of its container.
  put('worker', 'dns-resolvers', usesDevelopmentDns ? DEVELOPMENT_DNS : '');
  put('worker', 'dns-resolvers-hold-zones', usesDevelopmentDns ? 'true' : '');
}

/** The alerts for a Prometheus beside this stack, with the address where the team reads their steps. No secret. */
function writeAlerts() {
  if (!/^[^\s'{}]+[^\s'{}/]$/.test(RUNBOOKS_URL))
    fail(`RUNBOOKS_URL is ${RUNBOOKS_URL}: an address without / at its end`);
  const alerts = readFileSync(new URL('../helm/files/alerts.yml', import.meta.url), 'utf8');
  const text = alerts.replaceAll("runbook_url: 'docs/operations/runbooks/", () => `runbook_url: '${RUNBOOKS_URL}/`);
  put('alerts', 'alerts.yml', text, READABLE_MODE);
}

/** Certificates in your folder stay unchanged; in development they are created, since no public CA would sign them. */
async function provideCertificates(now) {
  const platformNames = [PLATFORM_DOMAIN, `*.${PLATFORM_DOMAIN}`];
  const isYours = PLATFORM_CERTIFICATE_FOLDER !== '';
  if (isYours && !['certificate.pem', 'key.pem'].every((name) => existsSync(join(folderOf('platform'), name)))) {
    fail(`there are no certificate.pem and key.pem in PLATFORM_CERTIFICATE_FOLDER (${PLATFORM_CERTIFICATE_FOLDER})`);
  }
  const isIssued = ENVIRONMENT !== 'development' && !isYours;
  put('api', 'issue-platform-certificate', String(isIssued));
  if (isIssued && ACME_DNS_ZONE === '') {
    const choice = 'set it, so that pets-api orders the certificate, or PLATFORM_CERTIFICATE_FOLDER';
    fail(`ACME_DNS_ZONE is empty, and without it nobody gets a certificate of *.${PLATFORM_DOMAIN}: ${choice}`);
  }
  if (isIssued) for (const name of ['certificate.pem', 'key.pem']) put('platform', name, '');
  if (ENVIRONMENT !== 'development') {
    put('worker', 'extra-ca.pem', '');
    return;
  }
  const wanted = { pebble: ['pebble', 'localhost'], ...(!isYours && { platform: platformNames }) };
  const isGood = ([owner, names]) => isUsable(join(folderOf(owner), 'certificate.pem'), names, now);
  if (Object.entries(wanted).every(isGood)) return;
  const { rootPem, leaves } = await makeDevelopmentCertificates(wanted, now);
  for (const [owner, { certificatePem, keyPem }] of Object.entries(leaves)) {
    put(owner, 'certificate.pem', certificatePem);
    put(owner, 'key.pem', keyPem);
  }
  put('worker', 'extra-ca.pem', rootPem);
  put('pebble', 'root.pem', rootPem);
  say('made the development certificates');
}

/** @returns the stored secret, or a new one */
function keep(owner, name, make, mode = OWNER_MODE) {
  const path = join(folderOf(owner), name);
  if (existsSync(path)) return readFileSync(path, 'utf8').trim();
  const made = make().trim();
  put(owner, name, made, mode);
  say(`made ${owner}/${name}`);
  return made;
}

/** Writes atomically, readable only for the owner by default. */
function put(owner, name, value, mode = OWNER_MODE) {
  const path = join(folderOf(owner), name);
  const text = value === '' ? '' : `${value.trim()}\n`;
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  writeFileSync(`${path}.draft`, text, { mode });
  renameSync(`${path}.draft`, path);
}

function say(line) {
  process.stdout.write(`setup: ${line}\n`);
}

function fail(reason) {
  process.stderr.write(`setup: ${reason}\n`);
  process.exit(1);
}

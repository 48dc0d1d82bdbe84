/**
 * The first service of docker-compose.yml: runs at every `docker compose up`, before all other services, then ends.
 *
 *   secrets        created at the first start and kept: passwords, tokens, the key-encryption key, the key of the ACME
 *                  account
 *   settings       derived from ENVIRONMENT at each start, so that one variable is enough
 *   certificates   for `*.<platform domain>`: created here in development, yours elsewhere
 *
 * Each process has a volume with only the secrets that it needs: it cannot leak a secret that it does not have. Shared
 * secrets are copied.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isUsable, makeDevelopmentCertificates } from './certificates.mjs';

const OWNER_MODE = 0o400;
/** Redis runs as its own user; only its container mounts the folder. */
const REDIS_MODE = 0o444;

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
  // Pebble and its DNS server, on the network of the containers: the profile `dev`.
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
  ACME_DNS_ZONE = '',
  ACME_DNS_SERVER = '',
  ACME_DNS_TSIG_KEY = '',
  REDIS_URL = '',
  SECRETS_FOLDER = '/secrets',
} = process.env;
const folderOf = (owner) => join(SECRETS_FOLDER, owner);

const chosen = Object.hasOwn(settings, ENVIRONMENT) ? settings[ENVIRONMENT] : undefined;
if (chosen === undefined) fail(`ENVIRONMENT is ${ENVIRONMENT || 'empty'}: production, staging or development`);
if (REDIS_URL === 'redis://redis:6379')
  fail('REDIS_URL is the address of this stack’s Redis without its password: leave it empty');
if (PLATFORM_DOMAIN === '') fail('PLATFORM_DOMAIN is empty');
makeSecrets();
writeSettings();
await provideCertificates(new Date());

/** Creates only missing secrets: another key cannot decrypt the stored certificates, another password cannot open the database. */
function makeSecrets() {
  // First, because the secrets below mark an existing installation. In an existing one, processes of a version without MACs
  // may still be running.
  const isNew = !existsSync(join(folderOf('api'), 'app-secret'));
  share(
    'queue-mac',
    keep('api', 'queue-mac', () => (isNew ? 'require' : 'accept')),
  );
  const password = keep('database', 'password', () => randomBytes(24).toString('base64url'));
  put('api', 'database-url', `postgres://pets:${password}@postgres:5432/pets`);
  keep('api', 'app-secret', () => randomBytes(48).toString('base64url'));
  const keys = keep('api', 'certificate-keks', () => `k1:${randomBytes(32).toString('base64')}`);
  put('edge', 'certificate-keks', keys);
  const token = keep('api', 'edge-token', () => randomBytes(32).toString('base64url'));
  put('edge', 'edge-token', token);
  const redisPassword = keep('redis', 'password', () => randomBytes(24).toString('base64url'), REDIS_MODE);
  put('redis', 'redis.conf', `requirepass ${redisPassword}`, REDIS_MODE);
  share('redis-url', `redis://:${redisPassword}@redis:6379`);
  for (const [name, id] of [
    ['queue-keys-jobs', 'j1'],
    ['queue-keys-events', 'e1'],
  ])
    share(
      name,
      keep('api', name, () => `${id}:${randomBytes(32).toString('base64')}`),
    );
  shareChallengeKey();
  keep('worker', 'acme-account-key.pem', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return privateKey.export({ type: 'pkcs8', format: 'pem' });
  });
}

/** For Knot, which is in the profile `dns`. The worker has its address and key only if there is a zone. */
function shareChallengeKey() {
  if (ACME_DNS_SERVER !== '' && ACME_DNS_TSIG_KEY === '')
    fail('ACME_DNS_SERVER is another name server than that of this stack: set ACME_DNS_TSIG_KEY to its key');
  const made = keep('knot', 'made-tsig-key', () => `pets-acme:${randomBytes(32).toString('base64')}`);
  put('knot', 'acme-dns-tsig-key', ACME_DNS_TSIG_KEY === '' ? made : ACME_DNS_TSIG_KEY);
  put('worker', 'acme-dns-tsig-key', ACME_DNS_ZONE === '' ? '' : made);
  put('worker', 'acme-dns-server', ACME_DNS_ZONE === '' ? '' : 'knot:5353');
}

function share(name, value) {
  for (const owner of ['api', 'worker']) put(owner, name, value);
}

function writeSettings() {
  for (const owner of ['api', 'worker']) {
    for (const [name, value] of Object.entries(chosen)) put(owner, name, value);
  }
  // Without resolvers, the worker uses those of its container.
  put('worker', 'dns-resolvers', ENVIRONMENT === 'development' ? DEVELOPMENT_DNS : '');
}

/** Certificates in your folder stay unchanged; in development they are created, since no public CA would sign them. */
async function provideCertificates(now) {
  const platformNames = [PLATFORM_DOMAIN, `*.${PLATFORM_DOMAIN}`];
  const isYours = PLATFORM_CERTIFICATE_FOLDER !== '';
  if (isYours && !['certificate.pem', 'key.pem'].every((name) => existsSync(join(folderOf('platform'), name)))) {
    fail(`there are no certificate.pem and key.pem in PLATFORM_CERTIFICATE_FOLDER (${PLATFORM_CERTIFICATE_FOLDER})`);
  }
  if (ENVIRONMENT !== 'development') {
    const wanted = `certificate.pem and key.pem of ${platformNames.join(' and ')}`;
    if (!isYours) fail(`PLATFORM_CERTIFICATE_FOLDER is empty: it has to name a folder with ${wanted}`);
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

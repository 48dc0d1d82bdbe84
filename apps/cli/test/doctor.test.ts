import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort, startDevDns, type DevDns } from '@pets/testing';
import { Pets } from './run-pets.js';

const NAME = 'docs.acme.example';
const TARGET = 't1.cname.pets.example';
let home: string;
let pets: Pets;
let dns: DevDns;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'pets-cli-'));
  pets = new Pets({ HOME: home });
});
afterAll(() => rm(home, { recursive: true, force: true }));
beforeEach(async () => {
  dns = await startDevDns();
});
afterEach(() => dns.close());

const doctor = (...more: string[]) =>
  pets.json(['domains', 'doctor', NAME, '--target', TARGET, '--resolver', dns.address, ...more]);

describe('pets domains doctor', () => {
  it('succeeds when the name points to its target and there is no CAA record', async () => {
    dns.put({ type: 'CNAME', name: NAME, data: `${TARGET}.` });
    const { code, outcome } = await doctor();
    expect(code).toBe(0);
    expect(outcome).toMatchObject({
      reason: 'dns_matches',
      issues: [],
      result: {
        name: NAME,
        verdicts: { dns: 'matches', ownership: null, caa: 'permits' },
        expected: [{ type: 'CNAME', name: 'docs', value: TARGET }],
        observed: [{ type: 'CNAME', name: NAME, value: TARGET, resolver: dns.address }],
      },
    });
  });

  it('shows a conflicting record, the expected one and the fix', async () => {
    dns.put({ type: 'A', name: NAME, data: '192.0.2.9' });
    const { code, stdout, stderr } = await pets.run([
      'domains',
      'doctor',
      NAME,
      '--target',
      TARGET,
      '--resolver',
      dns.address,
    ]);
    expect(code).toBe(4);
    expect(stdout).toContain(
      `  ${NAME} has A records (192.0.2.9), which conflict with the CNAME.\n  fix  Remove the A records`,
    );
    expect(stdout).toMatch(new RegExp(`A +${NAME} +192\\.0\\.2\\.9 +60 +${dns.address}`));
    expect(stderr).toContain(`refused: The DNS of ${NAME} is not as expected: conflicting A record.`);
  });

  it.each([
    ['with --target', ['--target', TARGET]],
    ['without an expectation', []],
  ])('shows the name servers of the zone %s', async (_case, more) => {
    for (const server of ['ada', 'bob'])
      dns.put({ type: 'NS', name: 'acme.example', data: `${server}.ns.cloudflare.com.` });
    const command = ['domains', 'doctor', NAME, '--resolver', dns.address, ...more];
    const { stdout } = await pets.run(command);
    expect(stdout).toContain('Name servers\n  ada.ns.cloudflare.com\n  bob.ns.cloudflare.com');
    const { outcome } = await pets.json(command);
    expect(outcome.result).toMatchObject({ nameServers: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'] });
  });

  it('reports a missing record as not yet', async () => {
    expect(await doctor()).toMatchObject({ code: 3, outcome: { status: 'not_yet', reason: 'no_record' } });
  });

  it('reports failing name servers as unavailable', async () => {
    dns.fail({ name: NAME, rcode: 'SERVFAIL' });
    expect(await doctor()).toMatchObject({
      code: 6,
      outcome: { status: 'unavailable', reason: 'resolver_failed', result: { verdicts: { dns: 'unknown' } } },
    });
  });

  it('shows the CAA record to add, for the authority of --ca', async () => {
    dns.put({ type: 'CNAME', name: NAME, data: `${TARGET}.` });
    dns.put({ type: 'CAA', name: 'acme.example', data: '0 issue "other-ca.example"' });
    const { code, outcome } = await doctor();
    expect(code).toBe(4);
    expect(outcome.reason).toBe('caa_forbids');
    expect(outcome.issues[0]?.remediation).toContain('acme.example. CAA 0 issue "letsencrypt.org"');
    expect(await doctor('--ca', 'other-ca.example')).toMatchObject({ code: 0 });
  });

  it('compares the account of a CAA record with --ca-account', async () => {
    const account = 'https://acme-v02.api.letsencrypt.org/acme/acct/1';
    dns.put({ type: 'CNAME', name: NAME, data: `${TARGET}.` });
    dns.put({ type: 'CAA', name: NAME, data: `0 issue "letsencrypt.org; accounturi=${account}"` });
    expect(await doctor()).toMatchObject({ code: 4 });
    expect(await doctor('--ca-account', account)).toMatchObject({ code: 0 });
  });

  it('shows the records without an expectation', async () => {
    dns.put({ type: 'A', name: NAME, data: '192.0.2.9' });
    const { code, outcome } = await pets.json(['domains', 'doctor', NAME, '--resolver', dns.address]);
    expect(code).toBe(0);
    expect(outcome).toMatchObject({
      reason: 'nothing_expected',
      result: { verdicts: { dns: null, caa: 'permits' }, observed: [{ type: 'A', value: '192.0.2.9' }] },
    });
  });

  it('works without the API when it is unreachable', async () => {
    const env = { PETS_API_URL: `http://127.0.0.1:${await freePort()}`, PETS_API_KEY: 'key', PETS_PROJECT: 'p' };
    const args = ['domains', 'doctor', NAME, '--resolver', dns.address];
    const { code, stderr } = await pets.run(args, { env });
    expect(code).toBe(0);
    expect(stderr).toContain('could not read the expected records');
  });

  it('escapes control characters of records', async () => {
    dns.put({ type: 'TXT', name: NAME, data: '"unused"' });
    dns.put({ type: 'CAA', name: NAME, data: '0 issue "\u001b[2Jca.example"' });
    const { stdout, stderr } = await pets.run(['domains', 'doctor', NAME, '--resolver', dns.address]);
    expect(stdout + stderr).not.toContain('\u001b');
    expect(stdout).toContain('[2Jca.example');
  });

  it('rejects an invalid DNS name', async () => {
    const { code, outcome } = await pets.json(['domains', 'doctor', 'docs..example']);
    expect(code).toBe(4);
    expect(outcome.reason).toBe('invalid_domain');
  });
});

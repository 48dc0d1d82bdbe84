import type { ErrorCode } from '@pets/contracts';
import { createTestCa, type TestLeaf } from '@pets/testing';
import pg from 'pg';
import type { ApiFixture } from './api-fixture.js';
import type { Arrangement, Transcript } from './run-transcript.js';

const NAME = 'shop.example.com';
const PATH = `"$API/v1/projects/$PROJECT/domains/${NAME}/certificate"`;
const KEY = '-H "Authorization: Bearer $KEY"';
const upload = `curl -i -X PUT ${PATH} ${KEY} --json "$BODY"`;

/** Body of an upload: certificate and key, each as PEM. */
interface Upload {
  readonly certificate: string;
  readonly privateKey: string;
  readonly trust?: 'private';
}

const uploadOf = ({ chainPem, keyPem }: TestLeaf): Upload => ({ certificate: chainPem, privateKey: keyPem });

/** A body for the domain, which the project has, or gets. */
function arrangeUpload(make: () => Promise<Upload>): (fixture: ApiFixture) => Promise<Arrangement> {
  return async (fixture) => {
    await addDomain(fixture);
    return { variables: { BODY: JSON.stringify(await make()) } };
  };
}

async function addDomain({ client, variables: { PROJECT: projectId = '' } }: ApiFixture): Promise<void> {
  await client.POST('/v1/projects/{projectId}/domains', { params: { path: { projectId } }, body: { name: NAME } });
}

async function issue(names: readonly string[], notAfter?: Date): Promise<TestLeaf> {
  const ca = await (await createTestCa('Example Root')).issueCa('Example Issuing CA');
  return ca.issue({ names, ...(notAfter !== undefined && { notAfter }) });
}

/** The codes that are about uploaded certificates. */
export const certificateTranscripts = {
  invalid_certificate: {
    given: '`$BODY` has a certificate after which the one of its CA is missing, but that of another CA follows.',
    arrange: arrangeUpload(async () => {
      const [leaf, other] = [await issue([NAME]), await createTestCa('Another CA')];
      return { ...uploadOf(leaf), certificate: leaf.certPem + other.certPem };
    }),
    commands: [upload],
  },
  invalid_private_key: {
    given: '`$BODY` has a key with a passphrase.',
    arrange: arrangeUpload(async () => {
      const privateKey = '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIH…\n-----END ENCRYPTED PRIVATE KEY-----\n';
      return { ...uploadOf(await issue([NAME])), privateKey };
    }),
    commands: [upload],
  },
  certificate_key_mismatch: {
    given: '`$BODY` has a certificate and the key of another one.',
    arrange: arrangeUpload(async () => {
      const { keyPem: privateKey } = await issue([NAME]);
      return { ...uploadOf(await issue([NAME])), privateKey };
    }),
    commands: [upload],
  },
  certificate_name_mismatch: {
    given: '`$BODY` has a certificate for `www.example.com`.',
    arrange: arrangeUpload(async () => uploadOf(await issue(['www.example.com']))),
    commands: [upload],
  },
  certificate_expired: {
    given: '`$BODY` has a certificate that has expired.',
    arrange: arrangeUpload(async () => uploadOf(await issue([NAME], new Date(Date.now() - 3_600_000)))),
    commands: [upload],
  },
  certificate_untrusted: {
    given: '`$BODY` has a certificate without that of its CA.',
    arrange: arrangeUpload(async () => {
      const leaf = await issue([NAME]);
      return { ...uploadOf(leaf), certificate: leaf.certPem };
    }),
    commands: [upload],
  },
  automatic_certificate_missing: {
    given: 'Visitors get the uploaded certificate; the automatic one has not been issued yet.',
    arrange: async (fixture) => {
      await addDomain(fixture);
      await markVerified(fixture);
      const { projectId, body } = {
        projectId: fixture.variables['PROJECT'] ?? '',
        body: { ...uploadOf(await issue([NAME])), trust: 'private' as const },
      };
      const params = { path: { projectId, domain: NAME } };
      await fixture.client.PUT('/v1/projects/{projectId}/domains/{domain}/certificate', { params, body });
      return {};
    },
    commands: [`curl -i -X DELETE ${PATH} ${KEY}`],
  },
} as const satisfies Partial<Record<ErrorCode, Transcript>>;

/** Verifies the domain as a check of its DNS would: no worker runs here. */
async function markVerified({ databaseUrl }: ApiFixture): Promise<void> {
  const database = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
  await database.connect();
  await database.query("update domains set state = 'verified', verified_at = now() where name = $1", [NAME]);
  await database.end();
}

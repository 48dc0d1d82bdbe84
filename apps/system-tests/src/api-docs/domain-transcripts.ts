import type { ErrorCode } from '@pets/contracts';
import type { Transcript } from './run-transcript.js';

const KEY = '-H "Authorization: Bearer $KEY"';

const addDocs = `curl -i "$API/v1/projects/$PROJECT/domains" ${KEY} --json '{"name":"docs.example.com"}'`;

/** The codes that are about projects and their domains. */
export const domainTranscripts = {
  invalid_domain: {
    commands: [`curl -i "$API/v1/projects/$PROJECT/domains" ${KEY} --json '{"name":"co.uk"}'`],
  },
  wildcard_needs_dns_challenge: {
    given: 'The operator has set no name server for challenges.',
    commands: [`curl -i "$API/v1/projects/$PROJECT/domains" ${KEY} --json '{"name":"*.example.com"}'`],
  },
  name_blocked: {
    given: 'The operator has blocked the name.',
    arrange: async ({ blockName }) => {
      blockName('login.example.com', 'phishing reports');
      return {};
    },
    commands: [`curl -i "$API/v1/projects/$PROJECT/domains" ${KEY} --json '{"name":"login.example.com"}'`],
  },
  invalid_bundle: {
    commands: [
      `printf 'no archive' | gzip | curl -i "$API/v1/projects/$PROJECT/deployments" ${KEY} \\
    -H 'Content-Type: application/gzip' --data-binary @-`,
    ],
  },
  invalid_import: {
    commands: [
      `printf 'domain\\ndocs.example.com\\n' | curl -i "$API/v1/projects/$PROJECT/domain-imports" ${KEY} \\
    -H 'Content-Type: text/csv' --data-binary @-`,
    ],
  },
  storage_limit_reached: {
    given: 'The organization may store 100 bytes.',
    arrange: async ({ createFreeTenant }) => {
      const { key, projectId } = await createFreeTenant('small-docs', { storageBytes: 100 });
      return { variables: { KEY: key, PROJECT: projectId } };
    },
    commands: [
      `tar -cz --mtime=@0 --owner=0 --group=0 LICENSE | curl -i "$API/v1/projects/$PROJECT/deployments" ${KEY} \\
    -H 'Content-Type: application/gzip' --data-binary @-`,
    ],
  },
  deployment_collected: {
    given: '`$DEPLOYMENT` was deleted.',
    arrange: async ({ client, createProject, deploy }) => {
      const projectId = await createProject('old-docs', true);
      await deploy(projectId);
      const path = { projectId };
      const { data = [] } = await client.GET('/v1/projects/{projectId}/deployments', { params: { path } });
      const deploymentId = data.at(-1)?.id ?? '';
      await client.DELETE('/v1/projects/{projectId}/deployments/{deploymentId}', {
        params: { path: { projectId, deploymentId } },
      });
      return { variables: { PROJECT: projectId, DEPLOYMENT: deploymentId } };
    },
    commands: [`curl -i -X POST "$API/v1/projects/$PROJECT/deployments/$DEPLOYMENT/activate" ${KEY}`],
  },
  upload_incomplete: {
    given: '`$UPLOAD` is an upload whose file was not sent.',
    arrange: async ({ client, variables: { PROJECT: projectId = '' } }) => {
      const { data } = await client.POST('/v1/projects/{projectId}/uploads', {
        params: { path: { projectId } },
        headers: { 'content-type': 'application/x-ndjson' },
        body: new Blob([JSON.stringify({ path: 'index.html', sha256: '0'.repeat(64), bytes: 18_204 })]),
      });
      return { variables: { UPLOAD: data?.id ?? '' } };
    },
    commands: [`curl -i -X POST "$API/v1/projects/$PROJECT/uploads/$UPLOAD/deployment" ${KEY}`],
  },
  redirect_cycle: {
    given: 'Both names are domains of the project.',
    arrange: async ({ client, variables: { PROJECT: projectId = '' } }) => {
      for (const name of ['docs.example.com', 'www.example.com']) {
        await client.POST('/v1/projects/{projectId}/domains', { params: { path: { projectId } }, body: { name } });
      }
      return {};
    },
    commands: [
      `curl -i -X PUT "$API/v1/projects/$PROJECT/domain-config" ${KEY} --json '{"domains":{"redirects":[
    {"from":"docs.example.com","to":"www.example.com","status":301},
    {"from":"www.example.com","to":"docs.example.com","status":301}]}}'`,
    ],
  },
  precondition_failed: {
    commands: [
      `curl -i -X PUT "$API/v1/projects/$PROJECT/domain-config" ${KEY} -H 'If-Match: "what-it-was"' \\
    --json '{"domains":{"redirects":[]}}'`,
    ],
  },
  plan_required: {
    given: '`$KEY` is one of an organization on the free plan.',
    arrange: async ({ createFreeTenant }) => {
      const { key, projectId } = await createFreeTenant('free-docs');
      return { variables: { KEY: key, PROJECT: projectId } };
    },
    commands: [addDocs],
  },
  domain_limit_reached: {
    given: 'The project may have one domain, and has it.',
    arrange: async ({ createFreeTenant }) => {
      const { key, client, projectId, deploy } = await createFreeTenant('full-docs', { domainsPerProject: 1 });
      await deploy();
      const body = { name: 'docs-1.example.net' };
      await client.POST('/v1/projects/{projectId}/domains', { params: { path: { projectId } }, body });
      return { variables: { KEY: key, PROJECT: projectId } };
    },
    commands: [`curl -i "$API/v1/projects/$PROJECT/domains" ${KEY} --json '{"name":"docs.example.net"}'`],
  },
  domain_exists: { commands: [addDocs] },
  deployment_required: {
    given: 'Nothing has been uploaded to the project.',
    arrange: async ({ createProject }) => ({ variables: { PROJECT: await createProject('new-docs', false) } }),
    commands: [addDocs],
  },
  reverify_too_early: {
    given: 'The domain still waits for its DNS record.',
    commands: [`curl -i -X POST "$API/v1/projects/$PROJECT/domains/docs.example.com/reverify" ${KEY}`],
  },
} as const satisfies Partial<Record<ErrorCode, Transcript>>;

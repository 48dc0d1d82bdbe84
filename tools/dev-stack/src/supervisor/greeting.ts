import type { DevFile } from './dev-file.js';

/** What somebody who has just started the stack wants to know, and three commands to try. */
export function greeting(dev: DevFile, httpsPort: number): string[] {
  const key = `-H 'authorization: Bearer ${dev.apiKey}'`;
  const json = `-H 'content-type: application/json'`;
  const page = `acme-docs.${dev.platformDomain}`;
  return [
    '',
    `  API        ${dev.apiUrl}/v1`,
    `  Dashboard  ${dev.dashboardUrl} (sign in with the API key below)`,
    `  Edge       ${dev.edgeHttpUrl}  ${dev.edgeHttpsUrl}`,
    ...(dev.dnsControlUrl === null ? [] : [`  DNS        ${dev.dnsControlUrl}/records`]),
    `  CA root    ${dev.caCertificatePath}`,
    `  API key    ${dev.apiKey}`,
    '',
    '  Try:',
    `  curl ${key} ${json} -d '{"name":"Rex","categoryId":1}' ${dev.apiUrl}/v1/pets`,
    `  curl --cacert ${dev.caCertificatePath} --resolve ${page}:${httpsPort}:127.0.0.1 https://${page}:${httpsPort}/`,
    `  curl ${key} ${json} -d '{"name":"docs.example.com"}' ${dev.apiUrl}/v1/projects/${dev.projectId}/domains`,
    '',
    '  Ctrl-C stops it; the data stay. LOG_LEVEL=info shows more.',
    '',
  ];
}

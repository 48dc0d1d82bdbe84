import { join, relative } from 'node:path';
import type { DevFile } from './dev-file.js';

/** Where everything is, and three commands to try. */
export function greeting(dev: DevFile, dataDir: string, isBuilt: boolean): string[] {
  const key = `-H 'authorization: Bearer ${dev.apiKey}'`;
  const curlConfig = relative('', join(dataDir, 'curlrc'));
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
    `  curl ${key} ${dev.apiUrl}/v1/pets`,
    `  curl --config ${curlConfig} https://acme-docs.${dev.platformDomain}/`,
    ...(isBuilt ? ['  npx pets domains add docs.example.com'] : []),
    '',
    '  Ctrl-C stops it; the data stay. LOG_LEVEL=info shows more.',
    '',
  ];
}

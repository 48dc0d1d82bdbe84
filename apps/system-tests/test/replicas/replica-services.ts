import { join } from 'node:path';
import { startDevCa, startDevDns, type DevCa, type DevDns } from '@pets/testing';

export const PLATFORM_DOMAIN = 'pets.localhost';

/** The services of others: DNS and a certificate authority. */
export interface ReplicaServices {
  readonly dns: DevDns;
  readonly ca: DevCa;
  closeServices(): Promise<void>;
}

/** @param httpPort where the CA looks for answers to its challenges */
export async function startReplicaServices(folder: string, httpPort: number): Promise<ReplicaServices> {
  const dns = await startDevDns({ platformDomain: PLATFORM_DOMAIN });
  const ca = await startDevCa({ dataDir: join(folder, 'ca'), dnsServers: [dns.address], httpPort });
  return {
    dns,
    ca,
    closeServices: async () => {
      await Promise.all([ca.close(), dns.close()]);
    },
  };
}

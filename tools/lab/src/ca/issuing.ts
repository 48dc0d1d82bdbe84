import { startPebble, type Pebble } from '@pets/testing/dev-ca';
import { startDevDns, type DevDns } from '@pets/testing/dev-dns';
import { freePort } from '@pets/testing/processes';
import { PLATFORM_DOMAIN } from '../environments.js';
import { startCaObserver, type CaObserver } from './ca-observer.js';

/** Servers that certificates are issued with: a CA, and DNS servers whose records can be set. */
export interface Issuing {
  readonly dns: DevDns;
  /** The CA's view, whose answers may differ from ours. */
  readonly dnsOfCa: DevDns;
  readonly pebble: Pebble;
  /** Stands between the worker and the CA, if that was asked for. */
  readonly observer: CaObserver | null;
  readonly directoryUrl: string;
  /** The port where challenges are answered: the first edge at 127.0.0.1; the CA asks any address of a name at this port. */
  readonly httpPort: number;
  /** Lets a domain's name point at us. */
  pointHere(domain: { readonly name: string; readonly token: string }): void;
  close(): Promise<void>;
}

export async function startIssuing(isObserved: boolean): Promise<Issuing> {
  const [dns, dnsOfCa] = [await startDevDns(), await startDevDns()];
  const httpPort = await freePort();
  const pebble = await startPebble({ httpPort, dnsServer: dnsOfCa.address });
  if (pebble === null) throw new Error('pebble is not installed: "node tools/setup.mjs bench" does that on Debian');
  const observer = isObserved ? await startCaObserver(pebble) : null;
  return {
    ...{ dns, dnsOfCa, pebble, observer, httpPort },
    directoryUrl: (observer ?? pebble).directoryUrl,
    pointHere: ({ name, token }) => {
      const target = `${token}.cname.${PLATFORM_DOMAIN}`;
      for (const server of [dns, dnsOfCa]) {
        server.put({ type: 'CNAME', name, data: `${target}.` });
        server.put({ type: 'A', name: target, data: '127.0.0.1' });
      }
    },
    close: async () => {
      await observer?.close();
      await Promise.all([pebble.stop(), dns.close(), dnsOfCa.close()]);
    },
  };
}

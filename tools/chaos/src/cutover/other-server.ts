import { once } from 'node:events';
import { createServer } from 'node:https';
import { issuePlatformCertificate, openAuthority } from '@pets/dev-stack';

/** Where a site lives before it moves here, and after it has left: a server with a certificate of another CA. */
export interface OtherServer {
  readonly rootPem: string;
  close(): Promise<void>;
}

interface OtherServerOptions {
  readonly folder: string;
  readonly names: readonly string[];
  readonly address: string;
  readonly port: number;
  readonly body: string;
}

export async function startOtherServer({
  folder,
  names,
  address,
  port,
  body,
}: OtherServerOptions): Promise<OtherServer> {
  const authority = await openAuthority(folder);
  const { certificatePem, privateKeyPem } = await issuePlatformCertificate(authority, names);
  const server = createServer({ cert: certificatePem, key: privateKeyPem }, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html', connection: 'close' }).end(body);
  });
  server.listen(port, address);
  await once(server, 'listening');
  return {
    rootPem: authority.rootCertificatePem,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

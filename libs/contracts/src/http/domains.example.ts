/** A domain on its way, for the interface description. */

export const routingRecordExample = {
  type: 'CNAME',
  name: 'docs',
  value: 'k3vq7m2xw5tdz4hcy6rb.cname.pets.example',
  ttl: 3600,
  purpose: 'routing',
};

export const domainExample = {
  id: '7c1d3a90-4b6e-4f7a-9e55-1d2c3b4a5f60',
  name: 'docs.example.com',
  unicodeName: 'docs.example.com',
  apexName: 'example.com',
  projectId: '0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f',
  externalId: 'customer-42',
  metadata: { tier: 'gold' },
  channel: null,
  originId: null,
  state: 'awaiting_dns',
  misconfigured: false,
  createdAt: '2026-11-02T09:10:00.000Z',
  verifiedAt: null,
  liveAt: null,
  removedAt: null,
  pendingEdges: 0,
  pairedWith: null,
  coveredBy: null,
  exclusions: null,
  records: [routingRecordExample],
  dns: {
    requestedAt: null,
    checkedAt: '2026-11-02T09:10:01.000Z',
    nextCheckAt: '2026-11-02T09:10:31.000Z',
    nameServers: ['ns1.dns.example', 'ns2.dns.example'],
    observed: [],
    conflicts: [],
  },
  ownership: { required: false, state: 'not_required', record: null },
  certificate: null,
  readiness: null,
  suspensions: [],
  issues: [
    {
      code: 'no_record',
      title: 'no DNS record yet',
      area: 'dns',
      severity: 'info',
      blocking: true,
      resolvesAutomatically: false,
      message: 'No DNS record for docs.example.com was found yet.',
      cause: 'docs.example.com has no DNS record yet.',
      remediation:
        'At your DNS provider, create the record that points docs.example.com to k3vq7m2xw5tdz4hcy6rb.cname.pets.example. We check for it automatically.',
      evidence: {
        name: 'docs.example.com',
        expected: 'k3vq7m2xw5tdz4hcy6rb.cname.pets.example',
        servers: ['192.0.2.53:53'],
      },
    },
  ],
};

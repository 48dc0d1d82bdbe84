/** An application that answers visitors, for the interface description and webhooks. */
export const originExample = {
  id: '7c1d1a1e-4b0b-4f53-9a3d-0d6c5b1f2e77',
  projectId: '0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f',
  url: 'https://app.example.net',
  hostHeader: null,
  timeouts: { connect: 5, answer: 60, idle: 300 },
  headers: ['x-platform-secret'],
  metadata: ['tier'],
  maxConnections: 100,
  state: 'serving',
  test: {
    startedAt: '2026-11-02T09:05:00.000Z',
    finishedAt: '2026-11-02T09:05:01.000Z',
    passed: true,
    status: 200,
    failure: null,
    address: '203.0.113.7',
    durationMs: 84,
  },
  health: { state: 'reachable', since: '2026-11-02T09:05:01.000Z', failure: null },
  createdAt: '2026-11-02T09:05:00.000Z',
  updatedAt: '2026-11-02T09:05:00.000Z',
};

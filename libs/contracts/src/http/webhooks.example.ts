/** An endpoint and what is sent to it, for the interface description. */

export const webhookEndpointExample = {
  id: '4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88',
  url: 'https://hooks.example.com/pets',
  description: null,
  eventTypes: ['domain.live', 'pet.created'],
  projectId: null,
  enabled: true,
  disabledReason: null,
  disabledAt: null,
  failingSince: null,
  previousSecretUntil: null,
  createdAt: '2026-11-02T09:00:00.000Z',
};

export const webhookAttemptExample = {
  number: 1,
  at: '2026-11-02T09:00:00.012Z',
  status: 200,
  durationMs: 38,
  error: null,
  bodyStart: 'ok',
};

export const webhookDeliveryExample = {
  id: 'd0c1b2a3-9e8f-4a7b-8c6d-5e4f3a2b1c0d',
  endpointId: webhookEndpointExample.id,
  type: 'pet.created',
  subjectId: '10',
  sequence: 1,
  state: 'delivered',
  createdAt: '2026-11-02T09:00:00.000Z',
  deliveredAt: '2026-11-02T09:00:00.050Z',
  nextAttemptAt: null,
  attempts: [webhookAttemptExample],
};

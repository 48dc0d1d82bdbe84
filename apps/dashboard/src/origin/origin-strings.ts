import type { OriginHealthState, OriginState } from '@pets/contracts';

export const originStrings = {
  title: 'Application',
  about:
    'An application of yours answers the visitors of this project, in the place of a deployment: the edges forward every ' +
    'request to it, for all domains of the project.',
  none: 'The project serves its deployment.',
  ofDomain: 'Own application',
  noneOfDomain:
    'The domain serves what its project serves, or its channel. It can be forwarded to an application of its own.',
  url: 'URL',
  urlHint: 'https://host or https://host:port. An edge asks it for / before visitors are sent there.',
  hostHeader: 'Host header',
  hostHint: 'Empty: the host that the visitor asked for.',
  header: 'Header for every request',
  headerHint:
    'Such as X-Platform-Secret: a value that only you know. Your application can trust requests that have it, and no others.',
  headerValue: 'Value of the header',
  headerValueHint: 'Stored encrypted, and never shown again. Empty: what is stored stays.',
  set: 'Set application',
  change: 'Change application',
  saved: 'Saved. An edge tests it now.',
  test: 'Test again',
  tested: 'The test has begun.',
  remove: 'Remove application',
  removeTitle: 'Remove this application?',
  removeText: 'Visitors get the deployment of the project at once, or a page that says that nothing is published.',
  removeTextOfDomain: 'Visitors of the domain get its channel, or what its project serves, at once.',
  removed: 'Application removed.',
  current: 'Current application',
  state: 'State',
  states: {
    testing: 'Being tested',
    serving: 'Answers visitors',
    failed: 'Test failed',
  } satisfies Record<OriginState, string>,
  health: 'Connections',
  healthStates: {
    reachable: 'Edges can connect',
    failing: 'Edges cannot connect',
  } satisfies Record<OriginHealthState, string>,
  since: (instant: string) => `since ${instant}`,
  failing: 'Most edges cannot connect to the application. Visitors get an error page.',
  lastTest: 'Last test',
  open: 'No edge has answered yet.',
  passed: (status: number, durationMs: number) => `Status ${status} after ${durationMs} ms.`,
  address: 'Address',
  headers: 'Headers',
} as const;

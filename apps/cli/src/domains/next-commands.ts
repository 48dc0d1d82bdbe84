import type { Domain } from '@pets/contracts';
import type { Outcome } from '../outcome/outcome.js';
import { evaluateDomain, type Goal } from './evaluate-domain.js';

/** What to run next for a domain. Names are quoted by nobody: a host name needs no quotes. */
export function nextCommands(domain: Domain, goal: Goal): Outcome['next'] {
  const { name, state } = domain;
  switch (state) {
    case 'awaiting_dns': {
      const isRefused = evaluateDomain(domain, goal).status === 'refused';
      const verifyWhen = isRefused ? 'once the records are mended' : 'once the records are created';
      return [
        { command: `pets domains verify ${name}`, when: verifyWhen },
        { command: `pets domains wait ${name}`, when: 'to be told when it is live' },
      ];
    }
    case 'verified':
      return [{ command: `pets domains wait ${name}`, when: 'to be told when it is live' }];
    case 'live':
      return domain.misconfigured ? [{ command: `pets domains doctor ${name}`, when: 'to see what DNS says' }] : [];
    case 'removed':
      return domain.pendingEdges === 0
        ? []
        : [{ command: `pets domains remove ${name} --yes`, when: 'to wait for the edges that are pending' }];
  }
}

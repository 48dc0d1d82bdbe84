import type { Domain } from '@pets/contracts';
import type { Outcome } from '../outcome/outcome.js';
import { evaluateDomain, type Goal } from './evaluate-domain.js';

/** What to run next for a domain. Names are quoted by nobody: a host name needs no quotes. */
export function nextCommands(domain: Domain, goal: Goal): Outcome['next'] {
  const { name, state } = domain;
  switch (state) {
    case 'awaiting_dns': {
      const isRefused = evaluateDomain(domain, goal).status === 'refused';
      const verifyWhen = isRefused ? 'after you fix the records' : 'after you create the records';
      return [
        { command: `pets domains verify ${name}`, when: verifyWhen },
        { command: `pets domains wait ${name}`, when: 'to wait until it is live' },
      ];
    }
    case 'verified':
      return [{ command: `pets domains wait ${name}`, when: 'to wait until it is live' }];
    case 'live':
      return domain.misconfigured ? [{ command: `pets domains doctor ${name}`, when: 'to diagnose its DNS' }] : [];
    case 'removed':
      return domain.pendingEdges === 0
        ? []
        : [{ command: `pets domains remove ${name} --yes`, when: 'to wait for the pending edges' }];
  }
}

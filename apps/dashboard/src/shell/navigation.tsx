import type { OperationId } from '@pets/contracts';
import { useEffect, useRef, type ReactNode } from 'react';
import { Link } from 'wouter';
import { strings } from '../strings.js';

const names = strings.navigation;

/** Pages that read the same things. */
interface Area {
  /** Pattern of their paths. */
  readonly pattern: RegExp;
  /** Their heading while they load. */
  readonly title: string;
  /** Operations that they read with: without all of these, they have nothing to show. */
  readonly reads: readonly OperationId[];
  /** The most usual change: without it, they can only be read. */
  readonly changes?: OperationId;
}

/** The first that matches counts. */
const areas: readonly Area[] = [
  {
    pattern: /^\/projects\/[^/]+\/settings\/domains/,
    title: names.domains,
    reads: ['getProject', 'listDomains'],
    changes: 'addDomain',
  },
  {
    pattern: /^\/projects\/[^/]+\/settings\/redirects/,
    title: strings.redirects.title,
    reads: ['getProject', 'getDomainConfig'],
    changes: 'putDomainConfig',
  },
  {
    pattern: /^\/projects\/[^/]+\/settings\/application/,
    title: names.application,
    reads: ['getProject', 'getOrigin'],
    changes: 'putOrigin',
  },
  {
    pattern: /^\/projects\//,
    title: names.deployments,
    reads: ['getProject', 'listDeployments'],
    changes: 'createDeployment',
  },
  { pattern: /^\/$/, title: names.projects, reads: ['listProjects'], changes: 'createProject' },
  { pattern: /^\/animals/, title: names.animals, reads: ['listPets'], changes: 'createPet' },
  { pattern: /^\/orders/, title: names.orders, reads: ['listOrders'], changes: 'createOrder' },
  { pattern: /^\/api-keys/, title: names.apiKeys, reads: ['listApiKeys'], changes: 'createApiKey' },
  { pattern: /^\/webhooks/, title: names.webhooks, reads: ['listWebhookEndpoints'], changes: 'createWebhookEndpoint' },
  { pattern: /^\/people/, title: names.people, reads: ['listPeople'], changes: 'createInvitation' },
  { pattern: /^\/setup-page/, title: names.setupPage, reads: ['getSetupPage'], changes: 'putSetupPage' },
  { pattern: /^\/audit/, title: names.audit, reads: ['listAuditEvents'] },
];

/** Operations with which the page at a path reads and changes; none for a page that only shows text. */
export function areaOf(path: string): Pick<Area, 'reads' | 'changes'> & Partial<Pick<Area, 'title'>> {
  return areas.find(({ pattern }) => pattern.test(path)) ?? { reads: [] };
}

interface NavigationLinkProps {
  readonly to: string;
  /** Whether the page that it leads to is shown. */
  readonly isCurrent: boolean;
  readonly children: ReactNode;
}

/** A link of a navigation. The current one is scrolled into view, since on a phone a navigation is wider than the screen. */
export function NavigationLink({ to, isCurrent, children }: NavigationLinkProps) {
  const link = useRef<HTMLAnchorElement>(null);
  const shownAtWidth = useRef(0);
  // After each render: a count beside another link, which comes later, moves this one.
  useEffect(() => {
    const width = isCurrent ? (link.current?.parentElement?.scrollWidth ?? 0) : 0;
    if (width !== 0 && width !== shownAtWidth.current) show(link.current);
    shownAtWidth.current = width;
  });
  // A turned phone is narrower, and the navigation as wide as before.
  useEffect(() => {
    if (!isCurrent) return undefined;
    const showAgain = () => show(link.current);
    addEventListener('resize', showAgain);
    return () => removeEventListener('resize', showAgain);
  }, [isCurrent]);
  return (
    <Link ref={link} to={to} aria-current={isCurrent ? 'page' : undefined}>
      {children}
    </Link>
  );
}

function show(link: HTMLElement | null): void {
  link?.scrollIntoView({ block: 'nearest', inline: 'center' });
}

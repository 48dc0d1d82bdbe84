import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useRoute } from 'wouter';
import { api, bodyOf } from '../api/api.js';
import { forgetSession } from '../session/session.js';
import { strings } from '../strings.js';
import { ConnectionBanner } from './connection-banner.js';

const places = [
  { to: '/', pattern: '/', label: strings.navigation.projects },
  { to: '/animals', pattern: '/animals', label: strings.navigation.animals },
  { to: '/orders', pattern: '/orders', label: strings.navigation.orders },
  { to: '/api-keys', pattern: '/api-keys', label: strings.navigation.apiKeys },
  { to: '/webhooks', pattern: '/webhooks/*?', label: strings.navigation.webhooks },
  { to: '/audit', pattern: '/audit', label: strings.navigation.audit },
] as const;

/** What is around every page: the way around, and whether the page is up to date. */
export function Shell({ children }: { readonly children: ReactNode }) {
  return (
    <>
      <a href="#content" className="skip-link">
        {strings.skipToContent}
      </a>
      <header className="shell-header">
        <span className="shell-product">{strings.product}</span>
        <nav aria-label={strings.navigation.label} className="shell-navigation">
          {places.map((place) => (
            <Place key={place.to} {...place} />
          ))}
        </nav>
        <SignOut />
      </header>
      <main id="content" tabIndex={-1} className="shell-main">
        <ConnectionBanner />
        {children}
      </main>
    </>
  );
}

/** Projects are the start page, and all that is below a project is at that place. */
function Place({ to, pattern, label }: (typeof places)[number]) {
  const [isHere] = useRoute(pattern);
  const [isInProject] = useRoute('/projects/*?');
  const isCurrent = isHere || (to === '/' && isInProject);
  return (
    <Link to={to} aria-current={isCurrent ? 'page' : undefined}>
      {label}
    </Link>
  );
}

/** The session ends at the API too; when that cannot be told, it is forgotten here and ends there by itself. */
function SignOut() {
  const signOut = useMutation({
    mutationFn: () => bodyOf(api().DELETE('/v1/sessions/current')),
    onSettled: () => forgetSession({ wasRefused: false }),
  });
  return (
    <Button variant="default" size="xs" loading={signOut.isPending} onClick={() => signOut.mutate()}>
      {strings.navigation.signOut}
    </Button>
  );
}

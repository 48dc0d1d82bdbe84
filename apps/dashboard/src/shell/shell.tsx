import type { ReactNode } from 'react';
import { Link, useRoute } from 'wouter';
import { Notice } from '../components/notice.js';
import { useConnection, useIsOnline } from '../live/project-events.js';
import { strings } from '../strings.js';
import { AccountMenu } from './account-menu.js';
import { Product } from './product.js';

const navigationLinks = [
  { to: '/', pattern: '/', label: strings.navigation.projects },
  { to: '/animals', pattern: '/animals', label: strings.navigation.animals },
  { to: '/orders', pattern: '/orders', label: strings.navigation.orders },
  { to: '/api-keys', pattern: '/api-keys', label: strings.navigation.apiKeys },
  { to: '/webhooks', pattern: '/webhooks/*?', label: strings.navigation.webhooks },
  { to: '/audit', pattern: '/audit', label: strings.navigation.audit },
] as const;

/** The frame of every page: navigation, account and the connection banner. */
export function Shell({ children }: { readonly children: ReactNode }) {
  return (
    <>
      <a href="#content" className="skip-link">
        {strings.skipToContent}
      </a>
      <header className="shell-header">
        <Product />
        <nav aria-label={strings.navigation.label} className="shell-navigation">
          {navigationLinks.map((place) => (
            <NavigationLink key={place.to} {...place} />
          ))}
        </nav>
        <AccountMenu />
      </header>
      <main id="content" tabIndex={-1} className="shell-main">
        <ConnectionBanner />
        {children}
      </main>
    </>
  );
}

/** Pages of a project belong to the start page, Projects. */
function NavigationLink({ to, pattern, label }: (typeof navigationLinks)[number]) {
  const [isHere] = useRoute(pattern);
  const [isInProject] = useRoute('/projects/*?');
  const isCurrent = isHere || (to === '/' && isInProject);
  return (
    <Link to={to} aria-current={isCurrent ? 'page' : undefined}>
      {label}
    </Link>
  );
}

/** Warns that the data may be out of date: no network, or the event stream is disconnected. */
function ConnectionBanner() {
  const connection = useConnection();
  const isOnline = useIsOnline();
  const text = bannerText(isOnline, connection === 'lost');
  return (
    <div role="status" className="connection">
      {text !== null && <Notice tone="warning">{text}</Notice>}
    </div>
  );
}

function bannerText(isOnline: boolean, isLost: boolean): string | null {
  if (!isOnline) return strings.connection.offline;
  return isLost ? strings.connection.lost : null;
}

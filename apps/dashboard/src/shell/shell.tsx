import { Text } from '@mantine/core';
import { useIsFetching } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Link, useLocation, useRoute } from 'wouter';
import { useOnDemand } from '../components/dialog.js';
import { Notice, READ_ONLY_NOTICE } from '../components/notice.js';
import { Page } from '../components/page.js';
import { useConnection, useIsOnline } from '../live/project-events.js';
import { peopleStrings } from '../people/people-strings.js';
import { useMay, useMissingScope, useOrganization, useOwnerNotices, usePerson } from '../session/caller.js';
import { strings } from '../strings.js';
import { AccountButton } from './account-button.js';
import { areaOf, NavigationLink } from './navigation.js';
import { Product } from './product.js';
import { useKeptFocus } from './use-kept-focus.js';

const navigationLinks = [
  { to: '/', pattern: '/', label: strings.navigation.projects },
  { to: '/animals', pattern: '/animals', label: strings.navigation.animals },
  { to: '/orders', pattern: '/orders', label: strings.navigation.orders },
  { to: '/api-keys', pattern: '/api-keys', label: strings.navigation.apiKeys },
  { to: '/webhooks', pattern: '/webhooks/*?', label: strings.navigation.webhooks },
  { to: '/people', pattern: '/people', label: strings.navigation.people },
  { to: '/setup-page', pattern: '/setup-page', label: strings.navigation.setupPage },
  { to: '/audit', pattern: '/audit', label: strings.navigation.audit },
] as const;

/** The frame of every page: navigation, account and the connection banner. */
export function Shell({ children }: { readonly children: ReactNode }) {
  useKeptFocus();
  return (
    <>
      <a href="#content" className="skip-link">
        {strings.skipToContent}
      </a>
      <header className="shell-header">
        <Product />
        <nav aria-label={strings.navigation.label} className="shell-navigation">
          {navigationLinks.map((place) => (
            <MainLink key={place.to} {...place} />
          ))}
        </nav>
        <AccountMenu />
      </header>
      <main id="content" tabIndex={-1} className="shell-main">
        <ConnectionBanner />
        <OwnerNotices />
        <Permitted>{children}</Permitted>
      </main>
    </>
  );
}

/** Pages of a project belong to the start page, Projects. */
function MainLink({ to, pattern, label }: (typeof navigationLinks)[number]) {
  const may = useMay();
  const [isHere] = useRoute(pattern);
  const [isInProject] = useRoute('/projects/*?');
  const isCurrent = isHere || (to === '/' && isInProject);
  if (!may(...areaOf(to).reads)) return null;
  return (
    <NavigationLink to={to} isCurrent={isCurrent}>
      {label}
    </NavigationLink>
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

/** Above every page, what owners have to know. */
function OwnerNotices() {
  return useOwnerNotices().map(({ code, at, message, personId }) => (
    <Notice key={`${code} ${personId} ${at}`} tone="warning">
      <p>
        {message}{' '}
        {code === 'keys_left_behind' ? (
          <Link to="/people">{peopleStrings.toPeople}</Link>
        ) : (
          <Link to="/audit">{peopleStrings.toLog}</Link>
        )}
      </p>
    </Notice>
  ));
}

/** The page, unless the caller may not read it; above it, why its controls are missing if the caller may not change it. */
function Permitted({ children }: { readonly children: ReactNode }) {
  const [location] = useLocation();
  const { reads, changes } = areaOf(location);
  const unread = useMissingScope(reads);
  const unchanged = useMissingScope(changes === undefined ? [] : [changes]);
  const role = usePerson()?.role;
  if (unread !== null) {
    return (
      <Page title={strings.access.refused}>
        <Text>{role === undefined ? strings.access.keyReads(unread) : strings.access.roleReads(unread)}</Text>
      </Page>
    );
  }
  return (
    <>
      {unchanged !== null && (
        <Notice tone="neutral" id={READ_ONLY_NOTICE}>
          {role === undefined ? strings.access.keyChanges(unchanged) : peopleStrings.readOnly(role)}
        </Notice>
      )}
      {children}
    </>
  );
}

function bannerText(isOnline: boolean, isLost: boolean): string | null {
  if (!isOnline) return strings.connection.offline;
  return isLost ? strings.connection.lost : null;
}

const load = () => import('./opened-account-menu.js');

/** The organization and its plan, the theme, the documentation, and the way out. A first visit rarely opens it. */
function AccountMenu() {
  const [OpenedMenu, open] = useOnDemand(load);
  useLoadWhenIdle();
  if (OpenedMenu !== null) return <OpenedMenu />;
  return <AccountButton aria-haspopup="menu" aria-expanded={false} onClick={open} />;
}

/** Once the page has its data, so that the menu opens without a network, too. */
function useLoadWhenIdle(): void {
  const { data } = useOrganization();
  const isIdle = useIsFetching() === 0 && data !== undefined;
  useEffect(() => {
    if (isIdle) void load().catch(() => undefined); // the button tries again
  }, [isIdle]);
}

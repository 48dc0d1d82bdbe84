import { Text } from '@mantine/core';
import { lazy, Suspense, type ReactNode } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { ErrorBoundary } from './components/error.js';
import { LoadingPage } from './components/loaded.js';
import { NotFound, Page } from './components/page.js';
import { DomainsPage } from './domains/domains.page.js';
import { peopleStrings } from './people/people-strings.js';
import { ProjectLayout } from './projects/project-layout.js';
import { ProjectsPage } from './projects/projects.page.js';
import { areaOf } from './shell/navigation.js';
import { strings } from './strings.js';

// Pages that a first visit rarely opens load on demand. The list of domains loads that of a domain once it is shown.
const DomainPage = lazy(() => import('./domains/domain.page.js'));
const DeploymentsPage = lazy(() => import('./projects/deployments.page.js'));
const OriginPage = lazy(() => import('./origin/origin.page.js'));
const RedirectsPage = lazy(() => import('./redirects/redirects.page.js'));
const AnimalsPage = lazy(() => import('./store/animals.page.js'));
const OrdersPage = lazy(() => import('./store/orders.page.js'));
const ApiKeysPage = lazy(() => import('./api-keys/api-keys.page.js'));
const PeoplePage = lazy(() => import('./people/people.page.js'));
const SetupPagePage = lazy(() => import('./setup-page/setup-page.page.js'));
const AuditPage = lazy(() => import('./audit/audit.page.js'));
const WebhooksPage = lazy(() => import('./webhooks/webhooks.page.js'));
const WebhookEventsPage = lazy(() => import('./webhooks/events.page.js'));
const DeliveriesPage = lazy(() => import('./webhooks/deliveries.page.js'));
const DeliveryPage = lazy(() => import('./webhooks/delivery.page.js'));

/** The routes below `/dashboard`. */
export function Pages() {
  return (
    <Switch>
      <Route path="/projects/:projectId/*?">{({ projectId }) => <ProjectRoutes projectId={projectId} />}</Route>
      <Route>
        <PageBoundary>
          <Switch>
            <Route path="/" component={ProjectsPage} />
            <Route path="/animals" component={AnimalsPage} />
            <Route path="/orders" component={OrdersPage} />
            <Route path="/api-keys" component={ApiKeysPage} />
            <Route path="/people" component={PeoplePage} />
            <Route path="/invitation" component={InvitationPage} />
            <Route path="/audit" component={AuditPage} />
            <Route path="/setup-page" component={SetupPagePage} />
            <Route path="/webhooks" component={WebhooksPage} />
            <Route path="/webhook-events" component={WebhookEventsPage} />
            <Route path="/webhooks/:endpointId/deliveries/:deliveryId">
              {({ endpointId, deliveryId }) => <DeliveryPage endpointId={endpointId} deliveryId={deliveryId} />}
            </Route>
            <Route path="/webhooks/:endpointId">{({ endpointId }) => <DeliveriesPage endpointId={endpointId} />}</Route>
            <Route component={NotFoundPage} />
          </Switch>
        </PageBoundary>
      </Route>
    </Switch>
  );
}

function ProjectRoutes({ projectId }: { readonly projectId: string }) {
  return (
    <ProjectLayout key={projectId} projectId={projectId}>
      <PageBoundary>
        <Switch>
          <Route path="/projects/:projectId">
            <DeploymentsPage projectId={projectId} />
          </Route>
          <Route path="/projects/:projectId/settings/domains">
            <DomainsPage projectId={projectId} />
          </Route>
          <Route path="/projects/:projectId/settings/domains/:domain">
            {({ domain }) => <DomainPage projectId={projectId} domain={domain} />}
          </Route>
          <Route path="/projects/:projectId/settings/application">
            <OriginPage projectId={projectId} />
          </Route>
          <Route path="/projects/:projectId/settings/redirects">
            <RedirectsPage projectId={projectId} />
          </Route>
          <Route component={NotFoundPage} />
        </Switch>
      </PageBoundary>
    </ProjectLayout>
  );
}

/** Each location has its own error boundary, so navigating away recovers from an error. */
function PageBoundary({ children }: { readonly children: ReactNode }) {
  const [location] = useLocation();
  return (
    <ErrorBoundary key={location}>
      <Suspense fallback={<LoadingPage title={areaOf(location).title ?? strings.loading} />}>{children}</Suspense>
    </ErrorBoundary>
  );
}

/** The link of an invitation, opened in a browser that has a session. Without one there is the sign-in page. */
function InvitationPage() {
  const text = peopleStrings.accept;
  return (
    <Page title={text.title}>
      <Text>{text.signedIn}</Text>
      <Link to="/">{text.back}</Link>
    </Page>
  );
}

function NotFoundPage() {
  return <NotFound text={strings.notFound.text} to="/" back={strings.notFound.back} />;
}

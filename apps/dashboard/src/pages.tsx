import { lazy, Suspense, type ReactNode } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { DomainPage } from './domains/domain.page.js';
import { DomainsPage } from './domains/domains.page.js';
import { ErrorBoundary } from './parts/error-boundary.js';
import { Loading } from './parts/loaded.js';
import { Page } from './parts/page.js';
import { TextLink } from './parts/text-link.js';
import { ProjectPages } from './projects/project-pages.js';
import { ProjectsPage } from './projects/projects.page.js';
import { strings } from './strings.js';

// What the first visit is seldom for is loaded when it is asked for.
const DeploymentsPage = lazy(() => import('./projects/deployments.page.js'));
const RedirectsPage = lazy(() => import('./redirects/redirects.page.js'));
const AnimalsPage = lazy(() => import('./animals/animals.page.js'));
const OrdersPage = lazy(() => import('./orders/orders.page.js'));
const ApiKeysPage = lazy(() => import('./api-keys/api-keys.page.js'));
const AuditEventsPage = lazy(() => import('./audit/audit-events.page.js'));
const WebhooksPage = lazy(() => import('./webhooks/webhooks.page.js'));
const DeliveriesPage = lazy(() => import('./webhooks/deliveries.page.js'));

/** Which page is at which address, below `/dashboard`. */
export function Pages() {
  return (
    <Switch>
      <Route path="/projects/:projectId/*?">{({ projectId }) => <PagesOfProject projectId={projectId} />}</Route>
      <Route>
        <Fenced>
          <Switch>
            <Route path="/" component={ProjectsPage} />
            <Route path="/animals" component={AnimalsPage} />
            <Route path="/orders" component={OrdersPage} />
            <Route path="/api-keys" component={ApiKeysPage} />
            <Route path="/audit" component={AuditEventsPage} />
            <Route path="/webhooks" component={WebhooksPage} />
            <Route path="/webhooks/:endpointId">{({ endpointId }) => <DeliveriesPage endpointId={endpointId} />}</Route>
            <Route component={NothingHere} />
          </Switch>
        </Fenced>
      </Route>
    </Switch>
  );
}

function PagesOfProject({ projectId }: { readonly projectId: string }) {
  return (
    <ProjectPages key={projectId} projectId={projectId}>
      <Fenced>
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
          <Route path="/projects/:projectId/settings/redirects">
            <RedirectsPage projectId={projectId} />
          </Route>
          <Route component={NothingHere} />
        </Switch>
      </Fenced>
    </ProjectPages>
  );
}

/** Each address has a fence of its own: leaving a page that broke leads out of it. */
function Fenced({ children }: { readonly children: ReactNode }) {
  const [location] = useLocation();
  return (
    <ErrorBoundary key={location}>
      <Suspense fallback={<Loading />}>{children}</Suspense>
    </ErrorBoundary>
  );
}

function NothingHere() {
  return (
    <Page title={strings.notFound.title}>
      <p>{strings.notFound.text}</p>
      <TextLink to="/">{strings.notFound.back}</TextLink>
    </Page>
  );
}

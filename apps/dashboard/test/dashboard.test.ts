import { afterAll, beforeAll, describe } from '@jest/globals';
import { describeWhen, missingBrowser } from '@pets/testing';
import { describeApiKeys } from './e2e/api-keys.e2e.js';
import { describeDeployments, describePrerequisites } from './e2e/deployments.e2e.js';
import { describeDialogs } from './e2e/dialogs.e2e.js';
import { describeDomains } from './e2e/domain.e2e.js';
import { describeExclusions } from './e2e/exclusions.e2e.js';
import { describeFocus } from './e2e/focus.e2e.js';
import { describeForms } from './e2e/forms.e2e.js';
import { describeImports } from './e2e/imports.e2e.js';
import { describeKeyboard } from './e2e/keyboard.e2e.js';
import { describeLists } from './e2e/lists.e2e.js';
import { describeLiveDomains } from './e2e/live-domain.e2e.js';
import { describeMoves } from './e2e/move.e2e.js';
import { describeOwnCertificates } from './e2e/own-certificate.e2e.js';
import { describeOwnerJourneys } from './e2e/owner-journeys.e2e.js';
import { describePeople } from './e2e/people.e2e.js';
import { describePages } from './e2e/pages.e2e.js';
import { describeRecords, describeReverify } from './e2e/records-and-reverify.e2e.js';
import { describeReference } from './e2e/reference.e2e.js';
import { describeRedirects } from './e2e/redirects.e2e.js';
import { describeSession } from './e2e/session.e2e.js';
import { describeSetupLinkDialog } from './e2e/setup-link-dialog.e2e.js';
import { describeSetupLinks } from './e2e/setup-links.e2e.js';
import { describeStatus } from './e2e/status.e2e.js';
import { describeStore } from './e2e/store.e2e.js';
import { describeWebhooks } from './e2e/webhooks.e2e.js';
import { type DashboardFixture, FIXTURE_LIMIT_MS, openDashboardFixture } from './dashboard-fixture.js';

/** All tests share one stack and one browser. Each has its own browser context. */
describeWhen(describe, 'the dashboard in a browser', missingBrowser, () => {
  let fixture: DashboardFixture | undefined;
  beforeAll(async () => {
    fixture = await openDashboardFixture();
  }, FIXTURE_LIMIT_MS);
  afterAll(() => fixture?.close(), FIXTURE_LIMIT_MS);

  const currentFixture = () => {
    if (fixture === undefined) throw new Error('the stack is not up');
    return fixture;
  };
  describeSession(currentFixture);
  describePrerequisites(currentFixture);
  describeDeployments(currentFixture);
  describeDomains(currentFixture);
  describeLiveDomains(currentFixture);
  describeSetupLinks(currentFixture);
  describeSetupLinkDialog(currentFixture);
  describeOwnerJourneys(currentFixture);
  describeImports(currentFixture);
  describeRecords(currentFixture);
  describeReverify(currentFixture);
  describeRedirects(currentFixture);
  describeMoves(currentFixture);
  describeOwnCertificates(currentFixture);
  describeExclusions(currentFixture);
  describeStore(currentFixture);
  describeApiKeys(currentFixture);
  describePeople(currentFixture);
  describeWebhooks(currentFixture);
  describeStatus(currentFixture);
  describeForms(currentFixture);
  describeLists(currentFixture);
  describeKeyboard(currentFixture);
  describeFocus(currentFixture);
  describeDialogs(currentFixture);
  describePages(currentFixture);
  describeReference(currentFixture);
});

import { afterAll, beforeAll, describe } from '@jest/globals';
import { describeWhen, isInstalled } from '@pets/testing';
import { tellDeploymentsStory } from './e2e/deployments.e2e.js';
import { tellDomainStory } from './e2e/domain.e2e.js';
import { tellGatesStory } from './e2e/gates.e2e.js';
import { tellKeyboardStory } from './e2e/keyboard.e2e.js';
import { tellKeysAndWebhooksStory } from './e2e/keys-and-webhooks.e2e.js';
import { tellPagesStory } from './e2e/pages.e2e.js';
import { tellRecordsStory } from './e2e/records.e2e.js';
import { tellRedirectsStory } from './e2e/redirects.e2e.js';
import { tellReverifyStory } from './e2e/reverify.e2e.js';
import { tellSessionStory } from './e2e/session.e2e.js';
import { tellStoreStory } from './e2e/store.e2e.js';
import { openDashboardFixture, type DashboardFixture } from './dashboard-fixture.js';

/** All stories share one stack and one browser; each has a tab of its own, and fails when its page does. */
const missing = isInstalled('chromium') ? null : 'chromium is not installed';

describeWhen(describe, 'the dashboard in a browser', missing, () => {
  let fixture: DashboardFixture | undefined;
  beforeAll(async () => {
    fixture = await openDashboardFixture();
  }, 120_000);
  afterAll(() => fixture?.close());

  const opened = () => {
    if (fixture === undefined) throw new Error('the stack is not up');
    return fixture;
  };
  tellSessionStory(opened);
  tellGatesStory(opened);
  tellDeploymentsStory(opened);
  tellDomainStory(opened);
  tellRecordsStory(opened);
  tellReverifyStory(opened);
  tellRedirectsStory(opened);
  tellStoreStory(opened);
  tellKeysAndWebhooksStory(opened);
  tellKeyboardStory(opened);
  tellPagesStory(opened);
});
